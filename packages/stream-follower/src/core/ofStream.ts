/** Finds what a store or a log tells of one stream among all. */
import { keyName, type StreamKey } from "../Model.ts";

/** The entry of a stream, if it has one. */
export const ofStream = <A extends { readonly key: StreamKey }>(
  all: ReadonlyArray<A>,
  key: StreamKey,
): A | undefined => all.find((each) => keyName(each.key) === keyName(key));
