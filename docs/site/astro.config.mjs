import { globSync, readFileSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import starlight from "@astrojs/starlight";
import { defineConfig } from "astro/config";
import linksValidator from "starlight-links-validator";
import llmsTxt from "starlight-llms-txt";
import typeDoc, { typeDocSidebarGroup } from "starlight-typedoc";
import { BASE, entries, packages, root } from "./scripts/entries.mjs";

/** The groups of docs/guides/README.md, in its order. */
const guides = readFileSync(join(root, "docs/guides/README.md"), "utf8")
  .split(/^## /m)
  .slice(1)
  .map((section) => ({
    label: section.slice(0, section.indexOf("\n")),
    items: Array.from(
      section.matchAll(/^- \[.*?\]\((.*?)\.md\)/gm),
      ([, path]) => `guides/${basename(path)}`,
    ),
  }));

// Wide tables can be scrolled by keyboard (WCAG 2.1.1). On a phone a cell shows the head of its column (site.css). Long
// code becomes a region, which needs a name of its own. The search button's name is the text in it (WCAG 2.5.3), or
// its title where a phone has no room for the text.
const accessibility = `addEventListener("load", () => {
  for (const table of document.querySelectorAll(".sl-markdown-content table")) {
    const heads = [...(table.tHead?.rows[0]?.cells ?? [])].map((head) => head.textContent);
    for (const cell of table.querySelectorAll("td"))
      if (heads[cell.cellIndex]) cell.dataset.label = heads[cell.cellIndex];
    if (table.scrollWidth > table.clientWidth) table.tabIndex = 0;
  }
  document.querySelectorAll("pre").forEach((pre, at) => (pre.ariaLabel = "Code " + (at + 1)));
  const search = document.querySelector("button[data-open-modal]");
  if (!search) return;
  search.title = search.ariaLabel;
  search.removeAttribute("aria-label");
  search.querySelector("span").removeAttribute("aria-hidden");
});`;

/** Ranks the reference below tasks and guides in the search: Pagefind weighs its headings like those of any page. */
const rankReference = {
  name: "rank-reference",
  hooks: {
    "astro:build:done": ({ dir }) => {
      for (const name of globSync("reference/api/**/*.html", { cwd: dir })) {
        const html = readFileSync(new URL(name, dir), "utf8");
        const weighed = html.replaceAll(
          /<(main|h[1-6])(?=[ >])/g,
          '<$1 data-pagefind-weight="0.1"',
        );
        writeFileSync(new URL(name, dir), weighed);
      }
    },
  },
};

export default defineConfig({
  site: "https://game-data.github.io",
  base: BASE,
  trailingSlash: "always",
  vite: {
    worker: { format: "es" },
    // The examples run in a page: there, the sandbox is reached without a port.
    resolve: {
      alias: [
        {
          find: /^@game-data\/sandbox$/,
          replacement: join(import.meta.dirname, "src/workers/sandbox.ts"),
        },
      ],
    },
  },
  integrations: [
    rankReference,
    starlight({
      title: "Game Data",
      description:
        "TypeScript packages for the Game Data API: sign-in, typed operations, the stash stream, tree links",
      social: [{ icon: "github", label: "GitHub", href: "https://github.com/game-data/game-data" }],
      head: [{ tag: "script", content: accessibility }],
      customCss: ["./src/styles/site.css"],
      expressiveCode: { defaultProps: { overridesByLang: { sh: { frame: "none" } } } },
      components: { SiteTitle: "./src/components/SiteTitle.astro" },
      sidebar: [
        { label: "Tasks", items: [{ autogenerate: { directory: "tasks" } }], collapsed: true },
        { label: "Guides", items: [{ label: "All guides", slug: "guides" }, ...guides] },
        {
          label: "Packages",
          items: [
            { label: "All packages", slug: "packages" },
            ...packages.map((name) => ({ label: name, slug: `packages/${name}` })),
            { label: "Apps", items: [{ autogenerate: { directory: "apps" } }], collapsed: true },
          ],
        },
        {
          label: "Errors",
          collapsed: true,
          items: [
            { label: "All errors", slug: "errors" },
            ...packages
              .filter((name) => name !== "create")
              .map((name) => ({ label: name, slug: `errors/${name}` })),
          ],
        },
        {
          label: "Reference",
          collapsed: true,
          items: [
            { label: "Overview", slug: "reference" },
            "reference/operations",
            "reference/oauth-server",
            "reference/item",
            typeDocSidebarGroup,
          ],
        },
        { label: "Project", items: [{ autogenerate: { directory: "project" } }], collapsed: true },
      ],
      plugins: [
        typeDoc({
          entryPoints: [...new Set(entries.values())].map((file) => join(root, file)),
          output: "reference/api",
          tsconfig: "tsconfig.typedoc.json",
          sidebar: { label: "Packages", collapsed: true },
          typeDoc: {
            plugin: [join(import.meta.dirname, "scripts/typedoc.mjs")],
            basePath: join(root, "packages"),
            router: "module",
            entryFileName: "index",
            disableSources: true,
            excludeExternals: true,
            maxTypeConversionDepth: 3,
            skipErrorChecking: true,
            validation: false,
            logLevel: "Error",
            parametersFormat: "table",
            propertiesFormat: "table",
            interfacePropertiesFormat: "table",
            useCodeBlocks: true,
          },
        }),
        llmsTxt({ exclude: ["reference/**", "project/**"] }),
        linksValidator({ errorOnLocalLinks: false }),
      ],
    }),
  ],
});
