/** The run over a bad store notices sign-ins that lack what makes it pass. */
import { afterEach, assert, beforeEach, it } from "vitest";
import type * as Run from "./badStore.ts";
import { importMutant, type Mutation } from "./mutant.ts";
import { inVirtualTime, pause, useRealTime, useVirtualTime } from "./virtualTime.ts";

const load = (mutation: Mutation) => importMutant<typeof Run>("./badStore.ts", mutation);

const noLimit = await load({
  file: "src/web/SignInSetting.ts",
  from: "sealed(bounded(options.store, storeMillis), sealer)",
  to: "sealed(options.store, sealer)",
});
const notHeld = await load({
  file: "src/web/finishSignIn.ts",
  from: "await keepTokens(setting, flow, tokens);",
  to: "held.forget(id); await keepTokens(setting, flow, tokens);",
});

beforeEach(useVirtualTime);
afterEach(useRealTime);

it("finds users that hang where no call of the store has a time limit", async () => {
  const texts: Array<string> = [];
  const { send } = noLimit.slowServer(0);
  const { store } = noLimit.badStore({ way: "hangs", at: 1, lasts: 0 });
  const app = await noLimit.openServer(store, send, {}, texts);
  const browser = `${"A".repeat(43)}.${"B".repeat(43)}`;
  const login = await app.handle(new Request("http://127.0.0.1:8080/auth/login"));
  const [flow = ""] = login?.headers.getSetCookie() ?? [];
  const cookie = `${flow.slice(0, flow.indexOf("_f_"))}_s=${browser}`;
  const first = inVirtualTime(() => Promise.race([app.user(cookie), pause(60_000)]));
  assert.isUndefined(await first, "it answered");
});

it("finds tokens that are neither stored nor revoked where they are not held", async () => {
  const cases = notHeld.casesOf(6, [0], { servers: 1 });
  assert.isAbove((await inVirtualTime(() => notHeld.runAll(cases))).lost, 0);
});
