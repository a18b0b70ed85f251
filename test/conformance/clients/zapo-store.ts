import {
  createStore,
  SenderKeyMemoryStore,
  WaAppStateMemoryStore,
  type WaAuthStore,
  WaContactMemoryStore,
  WaDeviceListMemoryStore,
  WaIdentityMemoryStore,
  WaMessageMemoryStore,
  WaMessageSecretMemoryStore,
  WaParticipantsMemoryStore,
  WaPreKeyMemoryStore,
  WaPrivacyTokenMemoryStore,
  WaRetryMemoryStore,
  WaSessionMemoryStore,
  WaSignalMemoryStore,
  type WaStore,
  WaThreadMemoryStore,
} from 'zapo-js/store'

const CACHE_MS = 5 * 60 * 1000

/** A store in memory. The library has all of its parts but the one of the credentials. */
export function createMemoryStore(): WaStore {
  const keys = {
    stores: {
      auth: createAuthStore,
      signal: () => new WaSignalMemoryStore(),
      preKey: () => new WaPreKeyMemoryStore(),
      session: () => new WaSessionMemoryStore(),
      identity: () => new WaIdentityMemoryStore(),
      senderKey: () => new SenderKeyMemoryStore(),
      appState: () => new WaAppStateMemoryStore(),
      messages: () => new WaMessageMemoryStore(),
      threads: () => new WaThreadMemoryStore(),
      contacts: () => new WaContactMemoryStore(),
      privacyToken: () => new WaPrivacyTokenMemoryStore(),
    },
    caches: {
      retry: () => new WaRetryMemoryStore(CACHE_MS),
      participants: () => new WaParticipantsMemoryStore(CACHE_MS),
      deviceList: () => new WaDeviceListMemoryStore(CACHE_MS),
      messageSecret: () => new WaMessageSecretMemoryStore(CACHE_MS),
    },
  }
  return createStore({
    backends: { keys },
    providers: { auth: 'keys', messages: 'memory', threads: 'memory', contacts: 'memory' },
  })
}

function createAuthStore(): WaAuthStore {
  let stored: Parameters<WaAuthStore['save']>[0] | null = null
  return {
    load: async () => stored,
    async save(credentials) {
      stored = credentials
    },
    async clear() {
      stored = null
    },
  }
}
