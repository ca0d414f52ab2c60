import { defineConfig } from "astro/config";
import starlight from "@astrojs/starlight";
import linksValidator from "starlight-links-validator";
import llms from "starlight-llms-txt";

const group = (label, directory, collapsed = false) => ({
  label,
  collapsed,
  items: [{ autogenerate: { directory, collapsed } }],
});

/**
 * Wide tables can be scrolled by keyboard (WCAG 2.1.1), and blocks of code, which the highlighter
 * makes regions where they are wide, have names of their own.
 */
const nameScrollables = `addEventListener("load", () => {
  for (const table of document.querySelectorAll(".sl-markdown-content table"))
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  document.querySelectorAll(".expressive-code pre").forEach((code, i) => {
    code.setAttribute("role", "region");
    code.setAttribute("aria-label", "Code " + (i + 1));
  });
});`;

export default defineConfig({
  vite: { worker: { format: "es" } },
  site: "https://game-data.github.io",
  base: "/game-data",
  trailingSlash: "always",
  integrations: [
    starlight({
      title: "Game Data",
      description: "Protocol packages, a sandbox and tools for the Game Data API",
      social: [{ icon: "github", label: "GitHub", href: "https://github.com/game-data/game-data" }],
      head: [{ tag: "script", content: nameScrollables }],
      customCss: ["./src/styles/site.css"],
      components: { Search: "./src/components/Search.astro" },
      sidebar: [
        { label: "Start", items: ["getting-started", "examples", "tasks"] },
        group("Guides", "guides"),
        group("Packages", "packages"),
        group("Catalogue", "catalogue"),
        group("Project", "project"),
        group("Reference", "api", true),
      ],
      plugins: [linksValidator({ errorOnLocalLinks: false }), llms({ exclude: ["api/**"] })],
    }),
  ],
});
