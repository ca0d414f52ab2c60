// A service that permits two requests a second and says so in its headers. Four requests at once:
// the limiter sends them as the service permits, and no response is a 429.
import { createLimiter } from "@game-data/rate-limit";

let hits: Array<number> = [];
const service = (): Response => {
  const now = performance.now();
  hits = hits.filter((hit) => hit > now - 1000);
  hits.push(now);
  const headers = {
    "x-rate-limit-policy": "example",
    "x-rate-limit-rules": "ip",
    "x-rate-limit-ip": "2:1:10",
    "x-rate-limit-ip-state": `${hits.length}:1:0`,
  };
  return new Response(null, { status: hits.length > 2 ? 429 : 200, headers });
};

const limiter = createLimiter();
const started = performance.now();
await Promise.all(
  [1, 2, 3, 4].map(async (n) => {
    const response = await limiter.run({ route: "GET /example" }, async () => service());
    const seconds = ((performance.now() - started) / 1000).toFixed(0);
    console.log(`request ${n}: ${response.status} after about ${seconds} s`);
    if (response.status === 429) throw new Error("too early");
  }),
);
