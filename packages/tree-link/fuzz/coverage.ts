/** Counts the branches of the codec that run, by V8's precise coverage. */
import { Session } from "node:inspector/promises";

/** Starts counting. The returned function ends it and tells what was reached and what was not. */
export const startCoverage = async () => {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
  return async () => {
    const { result } = await session.post("Profiler.takePreciseCoverage");
    const ranges = result
      .filter(({ url }) => /tree-link\/src\//u.test(url))
      .flatMap(({ functions, url }) =>
        functions.flatMap(({ functionName, ranges: blocks }) =>
          blocks.map((block) => ({
            ...block,
            place: `${url.split("/").at(-1)} ${functionName} ${block.startOffset}–${block.endOffset}`,
          })),
        ),
      );
    const missed = ranges.filter(({ count }) => count === 0).map(({ place }) => place);
    return { reached: ranges.length - missed.length, known: ranges.length, missed };
  };
};
