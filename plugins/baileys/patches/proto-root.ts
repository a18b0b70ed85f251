import { createRequire } from 'node:module'

interface Protobuf {
  /** Namespaces of generated code, by name. */
  readonly roots: { default?: { readonly proto?: object } }
}

const require = createRequire(import.meta.url)
const { roots } = createRequire(require.resolve('@whiskeysockets/baileys/WAProto/index.js'))(
  'protobufjs/minimal.js',
) as Protobuf

/**
 * Gives WAProto a namespace of its own. Its code looks nested messages up in the namespace `default` of protobufjs, which is
 * shared: a second copy of Baileys in the process (a plugin's, say) would replace them, and with them all that is patched here.
 */
export function patchProtoRoot(proto: object): void {
  if (!verifyProtoRoot(proto)) delete roots.default
}

export function verifyProtoRoot(proto: object): boolean {
  return roots.default?.proto !== proto
}
