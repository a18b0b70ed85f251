import type { WASocket } from '@whiskeysockets/baileys'

/**
 * A process of its own, where Baileys is as it was published. Arguments: library, folder, address of the network.
 * It takes `{ is, …}` and answers events; its keys are in the folder, as useMultiFileAuthState writes them.
 */
const [, , name = '', folder = '', waWebSocketUrl = ''] = process.argv
const library = (await import(name)) as typeof import('@whiskeysockets/baileys')
const { state, saveCreds } = await library.useMultiFileAuthState(folder)
const report = (event: Record<string, unknown>): void => void process.send?.(event)
let socket: WASocket | undefined
let isWanted = true

function open(): void {
  const made = library.default({
    auth: state,
    waWebSocketUrl,
    browser: ['Stock', 'Chrome', '1'],
    // Otherwise it holds back what it receives until it has downloaded the history.
    shouldSyncHistoryMessage: () => false,
  })
  socket = made
  made.ev.on('creds.update', saveCreds)
  made.ev.on('messages.upsert', ({ messages }) => {
    for (const { key, message } of messages) if (message && !key.fromMe) report({ is: 'message', id: key.id })
  })
  made.ev.on('connection.update', ({ qr, connection }) => {
    if (qr) report({ is: 'qr', qr })
    if (connection === 'open') report({ is: 'open' })
    if (connection === 'close' && isWanted) open()
  })
}

// It would connect again and again, for ever after the test has ended.
process.once('disconnect', () => process.exit())
process.on('message', async ({ is, chat, text }: Record<string, string>) => {
  if (is === 'text') {
    // Stock Baileys fails now and then while its first keys are still being stored.
    for (let left = 20; left > 0; left -= 1) {
      const isSent = await socket?.sendMessage(chat ?? '', { text: text ?? '' }).then(
        () => true,
        () => false,
      )
      if (isSent) break
      await new Promise((resolve) => setTimeout(resolve, 100))
    }
    report({ is: 'sent', text })
    return
  }
  isWanted = false
  await socket?.end(undefined)
  // What it writes for its last messages has no end that could be awaited.
  let quiet = 0
  setInterval(() => {
    const isWriting = process.getActiveResourcesInfo().some((kind) => kind.startsWith('FSReq'))
    quiet = isWriting ? 0 : quiet + 1
    if (quiet > 10) process.exit()
  }, 50)
})
open()
