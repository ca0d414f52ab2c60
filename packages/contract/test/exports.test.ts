/** What users can import. `vitest -u` writes the list; a changed line needs a changeset. */
import { exportedNames } from "@game-data/test-support";
import { expect, it } from "vitest";

it("exports these names from each entry", async () => {
  expect(await exportedNames(new URL("..", import.meta.url))).toMatchInlineSnapshot(`
    "./CharacterClass: characterClasses
    ./ConfigurationInvalid: ConfigurationInvalid
    ./ErrorCode: ErrorCode errorCodeOfStatus errorText errors statusOfErrorCode
    ./Lifetimes: Lifetimes
    ./Scope: isScope isServiceScope scopes userScopes
    ./SecureUrl: isLoopbackHost isSecureUrl
    ./UserAgent: formatUserAgent
    ./effect: bodySchemas
    ./inflate: ACCEPTED_CODINGS InflateError acceptedCoding inflate inflateStream
      inflateSync
    ./node/replaceFile: replaceFile replaceFileWith
    ./results: CharacterList CharacterResult CurrencyExchangePage ErrorBody EventLadder
      FilterAccepted FilterCreate FilterList FilterResult FilterUpdate FilterUpdated Ladder
      LeagueAccountResult LeagueList LeagueResult MatchLadder MatchList MatchResult Profile
      PublicStashPage StashList StashResult bodies
    ./retryAfter: retryAfterMillis
    ./routes: Limits ParameterInvalid WordsInvalid identityWords isIdentity makeWords
      matchPath oauthRoutes operations pageLimit parameterValue parametersOf realmFromWire
      realmToWire renamableRealms requestPath requestTarget requestToWire responseFromWire
      routeOf routes translateRequest translateResponse urlOf violation
    ./taggedFailure: failureToJson fieldsOf taggedFailures
    .: ErrorCode Limits ParameterInvalid RateLimitHeaders WordsInvalid characterClasses
      errorCodeOfStatus errorText errors formatUserAgent identityWords isIdentity
      isLoopbackHost isScope isSecureUrl isServiceScope makeWords matchPath oauthRoutes
      operations pageLimit parameterValue parametersOf realmFromWire realmToWire realms
      renamableRealms requestPath requestTarget requestToWire responseFromWire
      retryAfterMillis routeOf routes scopes statusOfErrorCode translateRequest
      translateResponse urlOf userScopes violation"
  `);
});
