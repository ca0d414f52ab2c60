/**
 * The endpoints of the Game Data API as one HttpApi: paths, parameters, scopes, limits, errors.
 *
 * @packageDocumentation
 */
export {};
