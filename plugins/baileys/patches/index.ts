import type { proto as Proto } from '@whiskeysockets/baileys'
import type { GroupCipher as Cipher } from '@whiskeysockets/baileys/lib/Signal/Group/group_cipher.js'
import type { Curve as BaileysCurve } from '@whiskeysockets/baileys/lib/Utils/crypto.js'
import { patchAttempts, verifyAttempts } from './attempts.ts'
import { patchBounds, verifyBounds } from './bounds.ts'
import { patchCertificate, verifyCertificate } from './certificate.ts'
import { patchClientPayload, verifyClientPayload } from './client-payload.ts'
import { patchConsole, verifyConsole } from './console.ts'
import { patchCurve, verifyCurve } from './curve.ts'
import { patchJobs, verifyJobs } from './jobs.ts'
import { patchKeyDerivation, verifyKeyDerivation } from './key-derivation.ts'
import { patchNctSalt, verifyNctSalt } from './nct-salt.ts'
import { omitted } from './omitted.ts'
import { patchPollV6, verifyPollV6 } from './poll-v6.ts'
import { patchProtoRoot, verifyProtoRoot } from './proto-root.ts'
import { patchRandomBytes, verifyRandomBytes } from './random-bytes.ts'
import { patchSecretKeys, verifySecretKeys } from './secret-keys.ts'
import { patchSenderKeys, verifySenderKeys } from './sender-keys.ts'
import { patchTimers, verifyTimers } from './timers.ts'
import { patchTokens, verifyTokens } from './tokens.ts'

/** One change to Baileys or libsignal at a public seam. */
export interface Patch {
  readonly name: string
  /** The changed function, or the seam where it is changed. */
  readonly seam: string
  /** Upstream issue or pull request, if any. */
  readonly issue?: string
  /** The behaviour with the patch, for the README. */
  readonly effect: string
  /** The test that fails without it. */
  readonly test: string
  /** Whether it is in effect; checked at each start, which fails if it is not. */
  verify(): boolean | Promise<boolean>
}

/** A patch of a module, for the whole process. */
export interface ModulePatch extends Patch {
  apply(): void
}

/** Objects inside Baileys that patches change. */
export interface BaileysInternals {
  /** WABinary/constants.js */
  readonly TOKEN_MAP: object
  /** Signal/Group/group_cipher.js */
  readonly GroupCipher: typeof Cipher
  /** Utils/crypto.js */
  readonly Curve: typeof BaileysCurve
  /** WAProto/index.js */
  readonly proto: Pick<
    typeof Proto,
    'Message' | 'HistorySync' | 'SyncActionValue' | 'ClientPayload' | 'CertChain'
  >
}

/** Applied before Baileys is loaded: Baileys and libsignal copy the functions that these change. */
export const EARLY_PATCHES: readonly ModulePatch[] = [
  {
    name: 'console',
    seam: 'globalThis.console',
    effect: 'libsignal prints neither sessions nor private keys',
    test: 'test/plugins/baileys/patches/console.test.ts',
    apply: patchConsole,
    verify: verifyConsole,
  },
  {
    name: 'timers',
    seam: 'globalThis.setTimeout',
    effect: 'no guard timer of an ended socket keeps the process alive',
    test: 'test/plugins/baileys/patches/timers.test.ts',
    apply: patchTimers,
    verify: verifyTimers,
  },
  {
    name: 'secret-keys',
    seam: 'node:crypto createHmac, createCipheriv, createDecipheriv',
    issue: 'nodejs/node#63111',
    effect: 'on Node 24, a raw key costs no two stack traces',
    test: 'test/plugins/baileys/patches/secret-keys.test.ts',
    apply: patchSecretKeys,
    verify: verifySecretKeys,
  },
  {
    name: 'random-bytes',
    seam: 'node:crypto randomBytes',
    effect: 'short random values are drawn in bulk',
    test: 'test/plugins/baileys/patches/random-bytes.test.ts',
    apply: patchRandomBytes,
    verify: verifyRandomBytes,
  },
  {
    name: 'key-derivation',
    seam: 'libsignal/src/crypto.js deriveSecrets',
    effect: 'keys of messages are derived by WASM',
    test: 'test/plugins/baileys/patches/key-derivation.test.ts',
    apply: patchKeyDerivation,
    verify: verifyKeyDerivation,
  },
  {
    name: 'curve',
    seam: 'libsignal/src/curve.js',
    effect: 'wrong signatures are refused; signatures, key pairs and agreements are made by WASM',
    test: 'test/plugins/baileys/patches/curve.test.ts',
    apply: patchCurve,
    verify: verifyCurve,
  },
  {
    name: 'jobs',
    seam: 'libsignal/src/queue_job.js',
    effect: 'a job runs in the async context, and so in the transaction, of its own caller',
    test: 'test/plugins/baileys/patches/jobs.test.ts',
    apply: patchJobs,
    verify: verifyJobs,
  },
  {
    name: 'attempts',
    seam: 'libsignal/src/session_cipher.js decryptWithSessions',
    effect: 'only the session that a message belongs to steps its ratchet',
    test: 'test/plugins/baileys/patches/attempts.test.ts',
    apply: patchAttempts,
    verify: verifyAttempts,
  },
]

/** Applied once Baileys is loaded. */
export const latePatches = ({
  TOKEN_MAP,
  GroupCipher,
  proto,
  Curve,
}: BaileysInternals): readonly ModulePatch[] => [
  {
    name: 'tokens',
    seam: 'WABinary/constants.js TOKEN_MAP',
    effect: 'ids like `constructor` are not found in the token dictionary of stanzas',
    test: 'test/plugins/baileys/patches/tokens.test.ts',
    apply: () => patchTokens(TOKEN_MAP),
    verify: () => verifyTokens(TOKEN_MAP),
  },
  {
    name: 'sender-keys',
    seam: 'Signal/Group/group_cipher.js encrypt',
    effect: "a group message takes one step of the sender's chain, not two",
    test: 'test/plugins/baileys/link.test.ts',
    apply: () => patchSenderKeys(GroupCipher),
    verify: () => verifySenderKeys(GroupCipher),
  },
  {
    name: 'proto-root',
    seam: 'protobufjs roots.default',
    effect: 'a second copy of Baileys in the process does not replace the messages of the first',
    test: 'test/plugins/baileys/patches/proto-root.test.ts',
    apply: () => patchProtoRoot(proto),
    verify: () => verifyProtoRoot(proto),
  },
  {
    name: 'poll-v6',
    seam: 'WAProto/index.js proto.Message',
    effect: 'polls of version 6 (field 119) are decoded; the protobuf ends at version 5',
    test: 'test/plugins/baileys/patches/poll-v6.test.ts',
    apply: () => patchPollV6(proto),
    verify: () => verifyPollV6(proto),
  },
  {
    name: 'nct-salt',
    seam: 'WAProto/index.js proto.HistorySync, proto.SyncActionValue',
    effect:
      'the salt of tokens for first contacts is decoded, from the history (field 19) and from settings (field 80)',
    test: 'test/plugins/baileys/patches/nct-salt.test.ts',
    apply: () => patchNctSalt(proto),
    verify: () => verifyNctSalt(proto),
  },
  {
    name: 'client-payload',
    seam: 'WAProto/index.js proto.ClientPayload.fromObject',
    effect: 'logins and registrations have all fields of WhatsApp Web: counters, locale, system',
    test: 'test/plugins/baileys/socket/connection/login-payload.test.ts',
    apply: () => patchClientPayload(proto),
    verify: () => verifyClientPayload(proto),
  },
  {
    name: 'certificate',
    seam: 'WAProto/index.js proto.CertChain.decode, Utils/crypto.js Curve.sharedKey',
    effect: 'a Noise certificate must be valid today, and of the key of the server that presents it',
    test: 'test/plugins/baileys/pairing/linking.test.ts',
    apply: () => patchCertificate({ proto, Curve }),
    verify: () => verifyCertificate({ proto, Curve }),
  },
  {
    name: 'bounds',
    seam: 'WAProto/index.js decode of every class, protobufjs Reader',
    effect: 'what nests too deeply, is too long or has too many values is refused while it is decoded',
    test: 'test/plugins/baileys/patches/bounds.test.ts',
    // The last of those of WAProto: fields that others have added are decoded within the bounds.
    apply: () => patchBounds(proto),
    verify: () => verifyBounds(proto),
  },
]

/** Applies all patches except those that a test omits. */
export function applyPatches(patches: readonly ModulePatch[]): void {
  for (const patch of patches) if (!omitted.patches.has(patch.name)) patch.apply()
}
