import { defineConfig } from "astro/config";
import starlight from "@astrojs/starlight";
import linksValidator from "starlight-links-validator";

const group = (label, directory, collapsed = false) => ({
  label,
  collapsed,
  items: [{ autogenerate: { directory, collapsed } }],
});

/**
 * Cells of tables know their labels, which a phone shows. Wide tables can be scrolled by keyboard (WCAG 2.1.1), and blocks of code, which the highlighter
 * makes regions where they are wide, have names of their own.
 */
const nameScrollables = `addEventListener("load", () => {
  for (const table of document.querySelectorAll(".sl-markdown-content table")) {
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
    const labels = Array.from(table.querySelectorAll("thead th"), (head) => head.textContent);
    for (const row of table.querySelectorAll("tbody tr")) {
      row.role = "row";
      Array.from(row.cells).forEach((cell, i) => {
        cell.role = "cell";
        if (labels[i]) cell.dataset.label = labels[i];
      });
    }
  }
  document.querySelectorAll(".expressive-code pre").forEach((code, i) => {
    code.setAttribute("role", "region");
    code.setAttribute("aria-label", "Code " + (i + 1));
  });
});`;

const inPage = new URL("./src/workers/sandbox.ts", import.meta.url).pathname;

export default defineConfig({
  vite: {
    worker: { format: "es" },
    // The programs of the examples, in a page.
    resolve: { alias: [{ find: /^@game-data\/sandbox$/, replacement: inPage }] },
  },
  site: "https://game-data.github.io",
  base: "/game-data",
  trailingSlash: "always",
  integrations: [
    starlight({
      title: "Game Data",
      description:
        "TypeScript packages for the Game Data API: sign-in, typed operations, the stash stream, tree links",
      social: [{ icon: "github", label: "GitHub", href: "https://github.com/game-data/game-data" }],
      head: [{ tag: "script", content: nameScrollables }],
      customCss: ["./src/styles/site.css"],
      components: {
        Search: "./src/components/Search.astro",
        SiteTitle: "./src/components/SiteTitle.astro",
      },
      sidebar: [
        group("Tasks", "tasks"),
        group("Guides", "guides", true),
        group("Packages", "packages"),
        group("Errors", "errors", true),
        group("API", "api", true),
        group("Tools", "tools"),
        group("Project", "project", true),
      ],
      plugins: [linksValidator({ errorOnLocalLinks: false })],
    }),
  ],
});
