/** Type of the contract's OpenAPI document, with the members that the sandbox reads. */
declare module "@game-data/contract/openapi.json" {
  const document: {
    readonly info: object;
    readonly paths: Readonly<Record<string, object>>;
  };
  export default document;
}
