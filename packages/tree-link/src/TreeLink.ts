/**
 * The fields of a passive-tree link: one shape for each version of the format, told apart by
 * `version`.
 *
 * The values are those of the bytes: nothing is looked up, sorted or made unique. Whether a hash is
 * a node of some tree, or a class exists, is for the application to say. Game 1 only; an atlas tree
 * is a link whose class and ascendancy are 0.
 */

/**
 * A mastery node and the effect chosen on it: on the wire one uint32, effect in the high and node
 * in the low 16 bits.
 */
export interface MasteryEffect {
  /** Skill hash of the mastery node, a uint16. */
  readonly node: number;
  /** Hash of the chosen effect, a uint16. */
  readonly effect: number;
}

/** Version 4: hashes without a count, up to the end of the stream. */
export interface TreeLinkV4 {
  readonly version: 4;
  /** Class, a uint8; 0 to 6 are in use. */
  readonly class: number;
  /** Ascendancy, the whole uint8. */
  readonly ascendancy: number;
  /** 1 where the link opens the tree on the full screen. */
  readonly fullscreen: 0 | 1;
  /** Node skill hashes, uint16 each, in the order of the wire. */
  readonly hashes: ReadonlyArray<number>;
}

/** Version 5 (game version 3.13.0): counted hashes, and those of cluster jewels. */
export interface TreeLinkV5 {
  readonly version: 5;
  /** Class, a uint8; 0 to 6 are in use. */
  readonly class: number;
  /** Ascendancy, the whole uint8. */
  readonly ascendancy: number;
  /** Node skill hashes, uint16 each, at most 255, in the order of the wire. */
  readonly hashes: ReadonlyArray<number>;
  /** Skill hashes of cluster-jewel nodes, uint16 each, at most 255. */
  readonly extendedHashes: ReadonlyArray<number>;
}

/** Version 6 (game version 3.16.0), 6.1 (3.23.0) included: as version 5, and mastery effects. */
export interface TreeLinkV6 {
  readonly version: 6;
  /** Class, a uint8; 0 to 6 are in use. */
  readonly class: number;
  /** Ascendancy of the class, the low two bits of its byte: 0 none, 1 to 3. */
  readonly ascendancy: number;
  /**
   * Second ascendancy, the high six bits of the same byte: 0 none, 1 to 3 named in
   * `tree-link/class-names`, up to 63 without a stated meaning.
   */
  readonly alternateAscendancy: number;
  /** Node skill hashes, uint16 each, at most 255, in the order of the wire. */
  readonly hashes: ReadonlyArray<number>;
  /** Skill hashes of cluster-jewel nodes, uint16 each, at most 255. */
  readonly extendedHashes: ReadonlyArray<number>;
  /** Mastery effects, at most 255, in the order of the wire. */
  readonly masteries: ReadonlyArray<MasteryEffect>;
}

/** A passive-tree link of any version that the specification describes. */
export type TreeLink = TreeLinkV4 | TreeLinkV5 | TreeLinkV6;

/** A version of the format; 6.1 is no version of its own. */
export type TreeLinkVersion = TreeLink["version"];
