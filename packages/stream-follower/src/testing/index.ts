/**
 * The laws of a sink, as tests for a store of your own, and the pages to test it with. A law is a
 * name and a function that rejects, so any test runner will do.
 *
 * The laws check position, fence, order, and that rows come back unchanged. They check only the
 * number of markets, and neither quarantine nor gaps. They cannot stop a process in the middle of a
 * commit, so test that with a process that you kill.
 *
 * `examples/folder-sink.ts` is a store in a folder, and `folder-sink-laws.ts` runs its laws.
 */
export { makePage, type PageOptions } from "./pages.ts";
export { type SinkLaw, sinkLaws, type SinkUnderTest } from "./sinkLaws.ts";
