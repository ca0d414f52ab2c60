/** The retry budget and the hooks, over several calls of one client. */
import { expect, it, vi } from "vitest";
import { apiOver, recording } from "./recording.ts";

const end = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "value",
    (error) => error._tag,
  );

it("each retry takes from the retry budget, and successes refill the budget up to its size", async () => {
  const statuses = [503, 200, 503, 200, 200, 200, 503, 200, 503];
  const { http } = recording((_, index) => ({ status: statuses[index]! }));
  const api = apiOver(http, { retry: { times: 1, base: 0, budget: 1 } });
  const ends: Array<string> = [];
  for (let call = 0; call < 7; call++) ends.push(await end(api.profile.get()));
  expect(ends.join(" ")).toBe("value ServerError value value value value ServerError");
});

it("a retry that would exceed maxWait and a last attempt take nothing from the retry budget", async () => {
  const { http, sent } = recording((_, index) =>
    index === 0 ? { status: 503, headers: { "retry-after": "60" } } : { status: 503 },
  );
  const api = apiOver(http, { retry: { times: 1, base: 0, budget: 1 }, maxWait: 1000 });
  expect(await end(api.profile.get())).toBe("ServerError");
  expect(sent).toHaveLength(1);
  // One retry is left: this call uses it, and its last failure costs nothing more.
  expect(await end(api.profile.get())).toBe("ServerError");
  expect(sent).toHaveLength(3);
});

it("the hook of a call gets only that call's responses, and a hook that throws is logged", async () => {
  const log = vi.spyOn(console, "log").mockImplementation(() => undefined);
  const { http } = recording((_, index) => (index === 1 ? { status: 503 } : {}));
  const fail = () => {
    throw new Error("hook failed");
  };
  const api = apiOver(http, { retry: { times: 1, base: 0 }, onRetry: fail, onResponse: fail });
  const statuses: Array<number> = [];
  await api.profile.get();
  await api.profile.get({ onResponse: ({ status }) => statuses.push(status) });
  await api.profile.get();
  expect(statuses).toEqual([503, 200]);
  for (const name of ["onRetry", "onResponse"])
    expect(log.mock.calls.join()).toContain(`The hook ${name} threw`);
  log.mockRestore();
});

it("a client sends nothing after too many rejected requests (`maxClientErrors`)", async () => {
  const { http, sent } = recording(() => ({ status: 403, body: "{}" }));
  const api = apiOver(http, { limiter: { maxClientErrors: 1 } });
  await expect(api.profile.get()).rejects.toMatchObject({ reason: "unknown" });
  const blocked = { _tag: "RateLimited", reason: "too-many-errors", attempts: 0 };
  await expect(api.leagues.list({}, { maxWait: 100 })).rejects.toMatchObject(blocked);
  expect(sent).toHaveLength(1);
});
