/**
 * Binary codec of passive-tree links, versions 4, 5, 6 and 6.1, without dependencies.
 *
 * @packageDocumentation
 */
export {
  type CodecOptions,
  decode,
  decodeBytes,
  type DecodeResult,
  DEFAULT_MAX_LENGTH,
  safeDecode,
} from "./Decode.ts";
export { encode, encodeBytes, type EncodeOptions, type TreeLinkInput } from "./Encode.ts";
export {
  type OffsetUnit,
  TreeLinkError,
  type TreeLinkFault,
  type TreeLinkReason,
} from "./Errors.ts";
export type * from "./TreeLink.ts";
