// The page of `drystone view`: the gallery, or one scene.

import { read } from "./address";
import { button } from "./dom";
import { gallery } from "./gallery";
import { applyTheme, switchTheme } from "./theme";
import { Viewer } from "./viewer";

applyTheme();
const address = read(location.search);
if (address.scene === null) {
  const change = button("theme", "Dark or light", () => switchTheme(), "D");
  void gallery(document.body, change);
} else {
  const viewer = new Viewer(document.body, address, address.scene);
  // for tests, and for whoever is curious
  Object.assign(window, { drystone: viewer });
}
