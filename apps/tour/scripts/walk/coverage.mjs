// Which files of `src/` have functions that run meanwhile, in this thread and in its workers: V8's
// precise coverage by the inspector. NODE_V8_COVERAGE would count from the start of the process, and
// a walk is what runs after that.
import { Session } from "node:inspector";
import { relative } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../../..", import.meta.url));
const session = new Session();
const send = (method, parameters) =>
  new Promise((resolve, reject) => {
    session.post(method, parameters, (error, result) =>
      error === null ? resolve(result) : reject(error),
    );
  });

/** Workers that are running, and what waits for an answer of one. */
const workers = new Set();
const waiting = new Map();
let messages = 0;
const sendToWorker = (sessionId, method, params) =>
  new Promise((resolve) => {
    messages += 1;
    waiting.set(messages, resolve);
    const message = JSON.stringify({ id: messages, method, params });
    send("NodeWorker.sendMessageToWorker", { sessionId, message }).catch(() => resolve(undefined));
  });

const COUNT = ["Profiler.startPreciseCoverage", { callCount: true, detailed: false }];

/** Begins to count. Workers that start later are counted as well. */
export const startCounting = async () => {
  session.connect();
  session.on("NodeWorker.attachedToWorker", ({ params: { sessionId } }) => {
    workers.add(sessionId);
    sendToWorker(sessionId, "Profiler.enable");
    sendToWorker(sessionId, ...COUNT);
  });
  session.on("NodeWorker.detachedFromWorker", ({ params: { sessionId } }) =>
    workers.delete(sessionId),
  );
  session.on("NodeWorker.receivedMessageFromWorker", ({ params: { message } }) => {
    const { id, result } = JSON.parse(message);
    waiting.get(id)?.(result);
    waiting.delete(id);
  });
  await send("NodeWorker.enable", { waitForDebuggerOnStart: false });
  await send("Profiler.enable");
  await send(...COUNT);
};

/** Functions that ran since the last call, by their file: `PACKAGE/src/…`. */
export const takeCounts = async () => {
  const taken = await Promise.all([
    send("Profiler.takePreciseCoverage"),
    ...Array.from(workers, (id) => sendToWorker(id, "Profiler.takePreciseCoverage")),
  ]);
  const counts = new Map();
  for (const { functions, url } of taken.flatMap((coverage) => coverage?.result ?? [])) {
    if (!/^file:.*\/(?:packages|apps)\/[\w-]+\/src\/.*\.tsx?$/u.test(url)) continue;
    // A module's own body is a function without a name at its begin, which runs once.
    const ran = functions.filter(
      ({ functionName, ranges: [{ count, startOffset }] }) =>
        count > 0 && (functionName !== "" || startOffset > 0),
    );
    const file = relative(root, fileURLToPath(url)).replace(/^\w+\//u, "");
    if (ran.length > 0) counts.set(file, ran.length);
  }
  return counts;
};
