import type { Plugin } from 'wamux/plugin'

type Check = (value: unknown) => boolean

const isFunction: Check = (value) => typeof value === 'function'
const isText: Check = (value) => typeof value === 'string'
const isObject: Check = (value) => typeof value === 'object' && value !== null && !Array.isArray(value)
const isList: Check = (value) => Array.isArray(value) && value.every(isText)
const isTable =
  (of: Check): Check =>
  (value) =>
    isObject(value) && Object.values(value as object).every(of)

const SCOPES = ['read', 'send', 'manage', 'admin', 'owner']
const TEXT = [isText, 'a text'] as const
const LIST = [isList, 'a list of names'] as const
const OBJECT = [isObject, 'an object'] as const
const FUNCTION = [isFunction, 'a function'] as const
const FUNCTIONS = [isTable(isFunction), 'functions by name'] as const
const OBJECTS = [isTable(isObject), 'objects by name'] as const

/** The type of each field of `definePlugin`; TypeScript authors get the same from the compiler. */
const SHAPES: Readonly<Record<string, readonly [Check, string]>> = {
  name: TEXT,
  version: TEXT,
  api: TEXT,
  config: OBJECT,
  needs: LIST,
  wants: LIST,
  provides: LIST,
  shares: FUNCTION,
  overrides: LIST,
  decorates: FUNCTIONS,
  contributes: FUNCTIONS,
  collects: LIST,
  order: [isTable(isList), 'lists of names, "before" and "after"'],
  migrations: OBJECTS,
  services: FUNCTION,
  routes: FUNCTION,
  scope: [(value) => SCOPES.includes(String(value)), `one of ${SCOPES.join(', ')}`],
  errors: [isTable(Array.isArray), 'rows by code'],
  redact: LIST,
  events: OBJECTS,
  translate: FUNCTIONS,
  on: FUNCTIONS,
  consume: [
    (value) => isObject(value) && isFunction((value as { handle?: unknown }).handle),
    'an object with a function "handle"',
  ],
  unreadable: [isObject, 'classes of events by the names of signals'],
  setup: FUNCTION,
  ready: FUNCTION,
}

/** Reports unknown fields and values of the wrong type: plugins in JavaScript have no other check. */
export function checkShape({ spec }: Plugin): string[] {
  return Object.entries(spec).flatMap(([field, value]) => {
    const shape = Object.hasOwn(SHAPES, field) ? SHAPES[field] : undefined
    if (!shape)
      return [`definePlugin() has no field "${field}"; its fields are ${Object.keys(SHAPES).join(', ')}`]
    const [isRight, what] = shape
    return value === undefined || isRight(value) ? [] : [`"${field}" must be ${what}`]
  })
}
