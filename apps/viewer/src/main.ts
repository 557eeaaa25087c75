// The page of `drystone view`: the gallery, or one scene; or the one recording that the page carries.

import { read } from "./address";
import { Carried, carried } from "./carried";
import { Connection, type Listener } from "./connection";
import { button } from "./dom";
import { gallery } from "./gallery";
import { applyTheme, switchTheme } from "./theme";
import { Viewer } from "./viewer";

applyTheme();
const address = read(location.search);
const recording = carried();
if (recording) {
  const viewer = new Viewer(document.body, address, recording.name, (listener) => new Carried(recording, listener, address), true);
  Object.assign(window, { drystone: viewer });
} else if (address.scene === null) {
  const change = button("theme", "Dark or light", () => switchTheme(), "D");
  void gallery(document.body, change);
} else {
  const call = (listener: Listener, query: () => string): Connection => new Connection(query, listener);
  const viewer = new Viewer(document.body, address, address.scene, call, false);
  // for tests, and for whoever is curious
  Object.assign(window, { drystone: viewer });
}
