// Tests the built site in Chromium: node scripts/check.mjs [--screenshots FOLDER]
//
//   - no request leaves the site's own origin, and each is answered
//   - axe finds nothing on one page of every kind: light, dark, and 390 px wide
//   - the search finds what people type, and leads to the right pages
//   - every program with a button runs in its worker, and prints what the page shows
//
// Dead links have ended the build already (starlight-links-validator).
import { createServer } from "node:http";
import { existsSync, mkdirSync, readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { extname, join } from "node:path";
import { parseArgs } from "node:util";
import { chromium } from "playwright-core";

const { values } = parseArgs({ options: { screenshots: { type: "string" } } });
const dist = join(import.meta.dirname, "../dist");
const BASE = "/game-data";
const PAGES = [
  "/",
  "/tasks/",
  "/tasks/stash-index/",
  "/guides/",
  "/guides/web-sign-in/",
  "/packages/",
  "/packages/tree-link/",
  "/errors/",
  "/errors/oauth-pkce/",
  "/reference/",
  "/reference/operations/",
  "/reference/api/tree-link/",
  "/apps/stash-index/",
  "/project/architecture/",
  "/project/fidelity/",
];
/** What people search → the address of a page that has to be among the first results. */
const TERMS = {
  cheapest: "/tasks/stash-index/",
  invalid_grant: "/tasks/errors/",
  axios: "/tasks/axios/",
  RateLimited: "/errors/rate-limit/",
  "rate limit": "/packages/rate-limit/",
  redis: "/guides/rate-limit/",
  "retry schedule": "/guides/effect/",
  sqlite: "/guides/follower/",
  "convert v5 v6": "/guides/tree-link/",
  quarantine: "/guides/follower/",
  "Standard Schema": "/guides/records/",
  "refresh token": "/packages/oauth-pkce/",
  "passive tree": "/tasks/tree-link/",
  audit: "/guides/audit/",
  jest: "/guides/testing-with-the-sandbox/",
  "get started": "/tasks/",
};
const RUNNABLE = {
  "/": "home",
  "/tasks/tree-link/": "tree-link",
  "/tasks/axios/": "axios",
  "/tasks/errors/": "errors",
};
const TYPES = {
  ".html": "text/html; charset=utf-8",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
  ".json": "application/json",
  ".wasm": "application/wasm",
  ".txt": "text/plain; charset=utf-8",
};

const server = createServer((request, response) => {
  const path = decodeURIComponent(new URL(request.url, "http://site").pathname);
  let file = join(dist, path.startsWith(BASE) ? path.slice(BASE.length) : "/404.html");
  if (existsSync(file) && statSync(file).isDirectory()) file = join(file, "index.html");
  if (!existsSync(file))
    return response.writeHead(404, { "content-type": "text/plain" }).end("no such page");
  return response
    .writeHead(200, { "content-type": TYPES[extname(file)] ?? "application/octet-stream" })
    .end(readFileSync(file));
});
await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
const origin = `http://127.0.0.1:${server.address().port}`;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

const problems = [];
const browser = await chromium.launch({
  executablePath: process.env["GAME_DATA_CHROMIUM"] ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
  ],
});
const open = async (options) => {
  const context = await browser.newContext(options);
  await context.route("**/*", (route) => {
    const url = route.request().url();
    if (url.startsWith(origin) || /^(data|blob):/.test(url)) return route.continue();
    problems.push(`a request left the site: ${url}`);
    return route.abort();
  });
  const page = await context.newPage();
  page.on("response", (response) => {
    if (response.status() >= 400) problems.push(`${response.status()}: ${response.url()}`);
  });
  page.on("pageerror", (error) => problems.push(`${page.url()}: ${error.message}`));
  return page;
};
const shoot = async (page, name) => {
  if (values.screenshots === undefined) return;
  mkdirSync(values.screenshots, { recursive: true });
  await page.screenshot({ path: join(values.screenshots, `${name}.png`) });
};

const FACES = {
  light: { colorScheme: "light", viewport: { width: 1280, height: 900 } },
  dark: { colorScheme: "dark", viewport: { width: 1280, height: 900 } },
  phone: { colorScheme: "light", viewport: { width: 390, height: 844 } },
};
try {
  let checked = 0;
  for (const [face, options] of Object.entries(FACES)) {
    const page = await open(options);
    for (const path of PAGES) {
      const response = await page.goto(`${origin}${BASE}${path}`, { waitUntil: "load" });
      if (!response.ok()) {
        problems.push(`${path} is ${response.status()}`);
        continue;
      }
      // The highlighter makes long code focusable when the page is idle.
      await page.evaluate(
        () => new Promise((done) => requestIdleCallback(() => setTimeout(done, 600))),
      );
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => window.axe.run(document));
      checked += 1;
      for (const { id, impact, nodes } of violations)
        problems.push(
          `axe, ${face}, ${path}: ${id} (${impact}) at ${nodes[0].target.join(" ")}, ${nodes.length} places`,
        );
      const overflow = await page.evaluate(
        () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
      );
      if (overflow > 0) problems.push(`${face}, ${path}: ${overflow} px wider than the window`);
      // Every section is one press away: as a tab, or in the menu.
      const ways = page.locator(
        '.tabs a, [popovertarget="starlight__sidebar"], #starlight__sidebar',
      );
      const isReachable = (
        await ways.evaluateAll((all) => all.map((one) => one.checkVisibility()))
      ).some(Boolean);
      if (!isReachable) problems.push(`${face}, ${path}: no way to the sections`);
      await shoot(page, `${face}${path.replaceAll("/", "-")}`);
    }
    await page.context().close();
  }
  console.log(`axe: ${checked} pages checked`);

  const page = await open(FACES.light);
  await page.goto(`${origin}${BASE}/`);
  await page.click("button[data-open-modal]");
  for (const [term, address] of Object.entries(TERMS)) {
    await page.fill("dialog input", term);
    const links = page.locator("dialog .pagefind-ui__result-link");
    const found = await links
      .and(page.locator(`[href$="${BASE}${address}"]`))
      .first()
      .waitFor({ timeout: 20_000 })
      .then(
        () => true,
        () => false,
      );
    if (!found) {
      const hrefs = await links.evaluateAll((all) => all.map(({ href }) => href));
      problems.push(`the search for "${term}" finds ${hrefs.join(", ") || "nothing"}`);
    }
    await page.fill("dialog input", "");
    await page.locator("dialog .pagefind-ui__result").first().waitFor({ state: "detached" });
  }
  console.log(`search: ${Object.keys(TERMS).length} terms`);

  for (const [path, name] of Object.entries(RUNNABLE)) {
    await page.goto(`${origin}${BASE}${path}`);
    const example = page.locator(`[data-example="${name}"]`);
    const shown = await example.locator("[data-output]").textContent();
    await example.locator("[data-run]").click();
    await page
      .waitForFunction(() => document.querySelector("[data-example]").dataset.result, undefined, {
        timeout: 40_000,
      })
      .catch(() => undefined);
    const result = await example.getAttribute("data-result");
    const output = await example.locator("[data-output]").textContent();
    // What the page shows before is what comes.
    const isAsShown = shown
      .replace(/\n…$/, "")
      .split("\n")
      .every((line) => output.includes(line));
    if (result !== "done" || !isAsShown)
      problems.push(`example ${name}: ${result ?? "no end"}\n${output}`);
    else console.log(`example ${name}: ${output.trim().split("\n").at(-1)}`);
  }
  await shoot(page, "example-run");
} finally {
  await browser.close();
  server.close();
}
if (problems.length > 0) {
  console.error([...new Set(problems)].join("\n"));
  process.exitCode = 1;
}
