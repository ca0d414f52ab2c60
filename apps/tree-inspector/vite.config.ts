import { defineConfig } from "vite";

export default defineConfig({
  // Relative, so that the page opens from any folder of any static server.
  base: "./",
  oxc: { jsx: { runtime: "automatic", importSource: "preact" } },
  build: { modulePreload: false, target: "es2022" },
});
