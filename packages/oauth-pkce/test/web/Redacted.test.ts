/** No cookie, response, log line or stored entry shows a token. */
import { inspect } from "node:util";
import { assert, describe, it } from "vitest";
import { memoryStore, type Backend } from "../../src/promise/index.ts";
import { sessionCookie, useApp } from "./app.ts";

const { oauth, open } = useApp();

describe("redacted", () => {
  it("shows no token in cookies, responses, logs, or a dump of the store", async () => {
    const entries: Array<string> = [];
    const memory = memoryStore();
    const spy: Backend = {
      read: memory.read,
      write: (key, expected, next) => {
        entries.push(key, next?.text ?? "");
        return memory.write(key, expected, next);
      },
    };
    const logged: Array<string> = [];
    const { app, browser } = await open({ store: spy, log: (line) => logged.push(line) });
    const path = await browser.consent();
    const response = await browser.visit(path);
    oauth.state.status = 503;
    oauth.state.body = { error: "x", error_description: "refresh-sentinel-1" };
    const failed = await browser.signIn();
    const seen = [
      ...entries,
      ...logged,
      inspect(response.headers),
      await failed.text(),
      inspect([...browser.cookies]),
      inspect(app, { depth: 9 }),
    ].join("\n");
    const state = new URLSearchParams(path.split("?")[1]).get("state")!;
    const id = browser.cookies.get(sessionCookie(browser))!.split(".")[1]!;
    assert.notInclude(seen, "sentinel");
    assert.notInclude(entries.join(), state);
    assert.notInclude(entries.join(), id);
  });
});
