// What can be done, on one page.

import { element } from "./dom";

const KEYS: [string, [string, string][]][] = [
  [
    "Time",
    [
      ["Space", "play, pause"],
      [".", "one step"],
      [",", "back by one frame"],
      ["R", "restart"],
      ["L", "begin again at the end"],
    ],
  ],
  [
    "Pointer",
    [
      ["1", "look: drag to turn, right button or two fingers to move, wheel to come closer, click to choose a thing"],
      ["2", "grab: drag a body, a strand, its root, cloth or its pins, or what moves along a path (or Shift and drag at any time)"],
      ["3", "throw: click to throw a ball (or double-click, or B, at any time)"],
    ],
  ],
  [
    "View",
    [
      ["Arrows", "turn the camera; with Shift move it"],
      ["+  −", "closer, farther"],
      ["F", "camera of the scene"],
      ["C", "next colours: own, stack layers, islands, sleeping, speed, twist, time step and penalty layers of cloth"],
      ["K", "contacts and forces"],
      ["M", "material frames of strands"],
      ["E", "envelopes: how far contact reaches"],
      ["D", "dark or light"],
    ],
  ],
  [
    "Panel",
    [
      ["S", "what is seen"],
      ["O", "options of scene and method"],
      ["P", "plots"],
      ["I", "the chosen thing"],
      ["Esc", "choose nothing"],
    ],
  ],
];

export function help(): void {
  document.querySelector("dialog.help")?.remove();
  const groups = KEYS.map(([title, rows]) =>
    element(
      "section",
      {},
      element("h3", {}, title),
      element("dl", {}, ...rows.flatMap(([key, text]) => [element("dt", {}, element("kbd", {}, key)), element("dd", {}, text)])),
    ),
  );
  const close = element("button", { type: "button", onclick: () => dialog.close() }, "Close");
  const dialog = element(
    "dialog",
    { class: "help", "aria-label": "Help", onclose: () => dialog.remove() },
    element("h2", {}, "What you can do"),
    ...groups,
    element("p", { class: "about" }, "The address of this page carries scene, changes, time and camera: a link shows the same again."),
    close,
  );
  dialog.addEventListener("click", (event) => {
    if (event.target === dialog) dialog.close();
  });
  document.body.append(dialog);
  dialog.showModal();
}
