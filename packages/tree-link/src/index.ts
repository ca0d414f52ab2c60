/**
 * Binary codec of passive-tree links, versions 4, 5, 6 and 6.1, without dependencies.
 *
 * @packageDocumentation
 */
export {};
