import type { TSchema } from 'typebox'

/** Checks the body of a route, as the gateway is given it. */
export interface BodyCheck {
  /**
   * The body as the handler gets it; throws one error with status 400 that names the field.
   *
   * @param onUnknown called with the dotted path of a field that is not in the schema and is left out.
   */
  (value: unknown, onUnknown: (path: string) => void): unknown
  /** Throws where the schema can't be compiled, which the first check does otherwise. */
  compile(): void
}

/** Makes the checks of one plugin: the schemas of two can't conflict. Throws for an invalid schema. */
export type BodyChecks = () => (schema: TSchema) => BodyCheck
