/** Links a session, sends, stops the gateway; the process must then end on its own. */
Object.assign(globalThis, { after: () => undefined })
const { startWorld } = await import('../../support/world.ts')
const world = await startWorld()
const session = await world.linked(await world.phone('Ana'))
const bea = await world.phone('Bea')
await session.post('/send/text', { Phone: bea.account.phone, Body: 'last words' })
await world.stop()
process.stdout.write('stopped\n')
