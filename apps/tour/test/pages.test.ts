/** The inspector as the tour serves it. */
import { serveInspector } from "@game-data/tree-inspector/serve";
import { expect, it } from "vitest";

it("serves the inspector with its policy, to this machine, and nothing else", async () => {
  const served = await serveInspector();
  try {
    expect(new URL(served.url).hostname).toBe("127.0.0.1");
    const response = await fetch(served.url);
    const page = await response.text();
    expect(response.headers.get("content-type")).toContain("text/html");
    expect(page).toContain("default-src 'none'; script-src 'self'");
    const script = /src="\.\/(assets\/[^"]+\.js)"/u.exec(page)?.[1] ?? "";
    const loaded = await fetch(`${served.url}${script}`);
    expect(loaded.headers.get("content-type")).toContain("text/javascript");
    expect((await loaded.text()).length).toBeGreaterThan(1000);
    const outside = await fetch(`${served.url}..%2f..%2fpackage.json`);
    expect(outside.status).toBe(404);
    await outside.text();
  } finally {
    await served.close();
  }
});
