// Small words for making elements.

type Child = Node | string | null | undefined | false;
type Properties = Record<string, string | number | boolean | ((event: never) => void) | undefined>;

/** An element: `onclick` and the like are listeners, `class` and the rest attributes. */
export function element<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  properties: Properties = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value as EventListener);
    else if (name === "value") (made as HTMLInputElement).value = String(value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child): child is Node | string => !!child || child === ""));
  return made;
}

/** Pictures on buttons, drawn on a grid of 24. */
const ICONS: Record<string, string> = {
  play: "M7 4.5v15l12-7.5z",
  pause: "M7 5h3.6v14H7zM13.4 5H17v14h-3.6z",
  next: "M5 5.5v13l9-6.5zM16 5.5h3v13h-3z",
  back: "M19 5.5v13L10 12zM5 5.5h3v13H5z",
  restart: "M12 5a7 7 0 1 1-6.6 4.7l1.9.7A5 5 0 1 0 12 7v3L7.5 6 12 2z",
  loop: "M17 4l4 4-4 4V9H8a3 3 0 0 0-3 3v1H3v-1a5 5 0 0 1 5-5h9zM7 20l-4-4 4-4v3h9a3 3 0 0 0 3-3v-1h2v1a5 5 0 0 1-5 5H7z",
  look: "M12 5c5 0 8.6 4.2 10 7-1.4 2.8-5 7-10 7s-8.6-4.2-10-7c1.4-2.8 5-7 10-7zm0 3a4 4 0 1 0 0 8 4 4 0 0 0 0-8z",
  grab: "M8 11V5.5a1.5 1.5 0 0 1 3 0V10h.6V4a1.5 1.5 0 0 1 3 0v6h.6V5.5a1.5 1.5 0 0 1 3 0V15c0 4-2.6 6.5-6 6.5-3.300 0-4.8-1.700-6.4-4.6L3.6 13.2c-.8-1.5 1.2-2.700 2.300-1.5z",
  throw: "M15.5 3a5.5 5.5 0 1 1 0 11 5.5 5.5 0 0 1 0-11zM2 13.2l6-2.4.7 1.700-6 2.4zM4 18.5l6.5-3.700.9 1.6-6.5 3.700zM10.5 20.300l4-3.8 1.300 1.300-4 3.8z",
  panel: "M4 5h16v2.2H4zM4 10.900h16v2.2H4zM4 16.8h16V19H4z",
  help: "M12 2.5a9.5 9.5 0 1 1 0 19 9.5 9.5 0 0 1 0-19zm-1.2 13.700v2.300h2.4v-2.300zM12 6c-2.300 0-3.900 1.4-4 3.6h2.300c0-1 .7-1.6 1.700-1.6s1.700.6 1.700 1.5c0 .8-.4 1.2-1.300 1.8-1.2.8-1.6 1.6-1.6 3.100h2.300c0-.9.3-1.300 1.300-2 1.100-.7 1.700-1.6 1.700-3C16.100 7.300 14.5 6 12 6z",
  theme: "M12 3a9 9 0 1 0 0 18a9 9 0 0 0 0-18zM12 5a7 7 0 0 1 0 14z",
  compare: "M3 5h8v14H3zM13 5h8v14h-8zm2 2v10h4V7z",
  home: "M12 3l9 8h-2.5v9h-5v-6h-3v6h-5v-9H3z",
  frame: "M4 4h5v2H6v3H4zM15 4h5v5h-2V6h-3zM4 15h2v3h3v2H4zM18 15h2v5h-5v-2h3z",
};

export function icon(name: string): SVGSVGElement {
  const space = "http://www.w3.org/2000/svg";
  const svg = document.createElementNS(space, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  const path = document.createElementNS(space, "path");
  path.setAttribute("d", ICONS[name] ?? "");
  path.setAttribute("fill-rule", "evenodd");
  svg.append(path);
  return svg;
}

/** A button with a picture, a name for those who do not see it, and its key in the tip. */
export function button(picture: string, name: string, act: () => void, key?: string): HTMLButtonElement {
  const title = key ? `${name} (${key})` : name;
  return element("button", { type: "button", class: "icon", "aria-label": name, title, onclick: act }, icon(picture));
}

/** Changes the picture and the name of a button. */
export function repaint(target: HTMLButtonElement, picture: string, name: string, key?: string): void {
  if (target.dataset["picture"] === picture) return;
  target.dataset["picture"] = picture;
  target.replaceChildren(icon(picture));
  target.setAttribute("aria-label", name);
  target.title = key ? `${name} (${key})` : name;
}
