// Dark or light: as the system says, until somebody says otherwise.

export type Theme = "light" | "dark";

const KEY = "drystone-theme";

function stored(): Theme | null {
  try {
    const value = localStorage.getItem(KEY);
    return value === "light" || value === "dark" ? value : null;
  } catch {
    return null;
  }
}

export function theme(): Theme {
  return stored() ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
}

export function applyTheme(chosen: Theme = theme()): Theme {
  document.documentElement.dataset["theme"] = chosen;
  return chosen;
}

export function switchTheme(): Theme {
  const next: Theme = theme() === "dark" ? "light" : "dark";
  try {
    localStorage.setItem(KEY, next);
  } catch {
    // without storage it lasts as long as the page
  }
  return applyTheme(next);
}
