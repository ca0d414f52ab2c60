/** The document of the contract, as far as the sandbox reads it. */
declare module "@game-data/contract/openapi.json" {
  const document: {
    readonly info: object;
    readonly paths: Readonly<Record<string, object>>;
  };
  export default document;
}
