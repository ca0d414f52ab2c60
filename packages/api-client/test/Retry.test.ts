import { describe, expect, it } from "vitest";
import { apiOver, recording } from "./recording.ts";

const end = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => "value",
    (error) => error._tag,
  );

describe("the retry budget", () => {
  it("is spent by retries and earned back by successes, up to its size", async () => {
    const statuses = [503, 200, 503, 200, 200, 200, 503, 200, 503];
    const { http } = recording((_, index) => ({ status: statuses[index]! }));
    const api = apiOver(http, { retry: { times: 1, base: 0, budget: 1 } });
    const ends: Array<string> = [];
    for (let call = 0; call < 7; call++) ends.push(await end(api.profile.get()));
    expect(ends).toEqual([
      "value",
      "ServerError",
      "value",
      "value",
      "value",
      "value",
      "ServerError",
    ]);
    await api.close();
  });

  it("is not spent by a retry that would exceed maxWait, nor by the last attempt", async () => {
    const { http, sent } = recording((_, index) =>
      index === 0 ? { status: 503, headers: { "retry-after": "60" } } : { status: 503 },
    );
    const api = apiOver(http, { retry: { times: 1, base: 0, budget: 1 }, maxWait: 1000 });
    expect(await end(api.profile.get())).toBe("ServerError");
    expect(sent).toHaveLength(1);
    // One retry is left: this call uses it, and its last failure costs nothing more.
    expect(await end(api.profile.get())).toBe("ServerError");
    expect(sent).toHaveLength(3);
    await api.close();
  });
});
