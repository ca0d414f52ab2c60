// Keeps the rate limits of the service with your own HTTP client: no request gets a 429.
import { createLimiter } from "@game-data/rate-limit/promise";
import { startSandbox } from "@game-data/sandbox";
import axios from "axios";

const sandbox = await startSandbox();
await sandbox.control("PUT", "/policies", {
  enabled: true,
  hiddenBuckets: null,
  policies: { slow: { Account: "3:2:10" } }, // a fourth request within 2 s: ten seconds of 429
  endpoints: { "*": "slow" },
});
const http = axios.create({ adapter: "fetch", baseURL: sandbox.baseUrl });
const token = await sandbox.token({ scopes: ["account:characters"] });
http.defaults.headers.common.Authorization = `Bearer ${token}`;

const limiter = createLimiter(); // learns the limits from the headers of the responses
const get = (path: string) => limiter.run({ route: `GET ${path}` }, () => http.get(path));

const responses = await Promise.all(Array.from({ length: 5 }, () => get("/character")));
console.log("limit:", responses[0]?.headers["x-rate-limit-account"]);
console.log("statuses:", ...responses.map(({ status }) => status));
await sandbox.close();
