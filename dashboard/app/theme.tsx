// Light, dark or the system's choice. The choice is stored; public/theme.js applies it before the first paint.
import { createContext, use, useEffect, useMemo, useState, type ReactNode } from "react";

export type ThemeChoice = "system" | "light" | "dark";
type Theme = { readonly choice: ThemeChoice; readonly shown: "light" | "dark"; readonly choose: (choice: ThemeChoice) => void };

const ThemeContext = createContext<Theme | null>(null);
const storageKey = "lamella.theme";

export function ThemeProvider({ children }: { readonly children: ReactNode }) {
  const [choice, setChoice] = useState<ThemeChoice>(() => (document.documentElement.dataset.theme as ThemeChoice | undefined) ?? "system");
  const [systemDark, setSystemDark] = useState(() => matchMedia("(prefers-color-scheme: dark)").matches);
  useEffect(() => {
    const query = matchMedia("(prefers-color-scheme: dark)");
    const changed = () => setSystemDark(query.matches);
    query.addEventListener("change", changed);
    return () => query.removeEventListener("change", changed);
  }, []);
  const theme = useMemo<Theme>(
    () => ({
      choice,
      shown: choice === "system" ? (systemDark ? "dark" : "light") : choice,
      choose(next) {
        if (next === "system") delete document.documentElement.dataset.theme;
        else document.documentElement.dataset.theme = next;
        try {
          if (next === "system") localStorage.removeItem(storageKey);
          else localStorage.setItem(storageKey, next);
        } catch {
          // Storage is blocked: the choice lasts until the page is closed.
        }
        setChoice(next);
      },
    }),
    [choice, systemDark],
  );
  return <ThemeContext value={theme}>{children}</ThemeContext>;
}

export function useTheme(): Theme {
  const theme = use(ThemeContext);
  if (theme === null) throw new Error("useTheme outside ThemeProvider");
  return theme;
}
