import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'chai'
import { temporaryFolder } from '../../support/databases.ts'
import { eventually } from '../../support/eventually.ts'
import { type GatewayProcess, startProcess } from '../../support/process.ts'
import { whole } from '../../support/run/whole.ts'
import { admin } from '../../support/sessions.ts'

interface Seen {
  ID: string
  FromMe: boolean
  Message: { conversation?: string; extendedTextMessage?: { text: string } }
}

const textOf = ({ Message }: Seen): string => Message.conversation ?? Message.extendedTextMessage?.text ?? ''

describe('a local network that is kept', () => {
  const folder = temporaryFolder()
  const dataDir = join(folder, 'network')
  let network: GatewayProcess
  let gateway: GatewayProcess
  let ana = ''
  let bob = ''
  let team = ''
  let token: { token: string }

  const startNetwork = async (): Promise<void> => {
    network = await startProcess({ WAMUX_DATA_DIR: folder, WAMUX_CONFIG: '' }, ['network', '--keep'])
  }
  before(async () => {
    await startNetwork()
    const phone = async (Name: string) => (await network.post('/sandbox/phones', { Name }, admin)).data.Phone
    ana = await phone('Ana')
    bob = await phone('Bob')
    gateway = await startProcess({
      WAMUX_DATA_DIR: temporaryFolder(),
      WAMUX_BAILEYS_NETWORK: join(dataDir, 'network.json'),
    })
    const { data } = await gateway.post('/session/init', {}, admin)
    token = { token: String(data.Token) }
    await gateway.post('/session/connect', { Immediate: false }, token)
    const { QRCode } = (await gateway.get('/session/qr', token)).data
    const scanned = await network.post(`/sandbox/phones/${ana}/scan`, { QRCode }, admin)
    expect(scanned.data?.JID, scanned.error).to.match(/:1@/)
    await loggedIn()
    team = await act(bob, { Action: 'createGroup', Text: 'Team', Participants: [ana] }).then(({ JID }) => JID)
  })
  after(async () => {
    await gateway?.end('SIGTERM')
    await network?.end('SIGTERM')
  })

  const loggedIn = () =>
    eventually(async () => (await gateway.get('/session/status', token)).data?.LoggedIn, 'logged in again')
  const act = async (phone: string, action: object) => {
    const { data, error } = await network.post(`/sandbox/phones/${phone}/actions`, action, admin)
    expect(error).to.equal(undefined)
    return data
  }
  const write = async (To: string, Text: string): Promise<string> => {
    const { data, error } = await network.post(`/sandbox/phones/${bob}/messages`, { To, Text }, admin)
    expect(error).to.equal(undefined)
    return data.Id
  }
  const send = (Phone: string, Body: string, Id?: string) =>
    gateway.post('/send/text', { Phone, Body, ...(Id ? { Id } : {}) }, token)
  const textsOn = async (phone: string): Promise<string[]> => {
    const { data } = await network.get(`/sandbox/phones/${phone}/messages`, admin)
    return (data.Messages as Seen[]).map(textOf)
  }
  const reached = (phone: string, text: string) =>
    eventually(async () => (await textsOn(phone)).includes(text), `${text} on the phone`)
  /** Texts of the Message events of the session, each as often as there is an event. */
  const received = async (): Promise<string[]> => {
    const { data } = await gateway.get('/events?limit=1000', token)
    return (data.Events as { type: string; event: { Message?: Seen['Message'] } }[])
      .filter(({ type }) => type === 'Message')
      .map(({ event }) => textOf({ Message: event.Message ?? {} } as Seen))
  }
  const countOf = (list: readonly string[], text: string): number => list.filter((one) => one === text).length
  const restart = async (): Promise<void> => {
    await network.end('SIGKILL')
    await startNetwork()
  }

  it('has its accounts, links and groups after kill -9, and delivers what has waited', async () => {
    await write(ana, 'before')
    await send(bob, 'from the session')
    await reached(bob, 'from the session')
    const image =
      'data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=='
    await act(ana, { Action: 'pin', Chat: bob })
    await eventually(async () => countOf(await received(), 'before') === 1, 'received')
    await gateway.post('/session/disconnect', {}, token)
    await write(ana, 'waited')
    await write(team, 'waited in the group')
    const sent = await network.post(
      `/sandbox/phones/${bob}/messages`,
      { To: ana, Message: { image, caption: 'a picture' } },
      admin,
    )
    expect(sent.error).to.equal(undefined)
    const card = readFileSync(join(dataDir, 'network.json'), 'utf8')
    const view = async () => (await network.get(`/sandbox/phones/${ana}`, admin)).data
    const { Settings, Messages } = await view()

    await restart()
    expect(readFileSync(join(dataDir, 'network.json'), 'utf8')).to.equal(card)
    const restored = await view()
    expect({ Settings: restored.Settings, Messages: restored.Messages }).to.deep.equal({ Settings, Messages })
    expect(restored.Companions).to.have.length(1)
    await gateway.post('/session/connect', { Immediate: false }, token)
    await loggedIn()
    const all = ['before', 'waited', 'waited in the group']
    await eventually(
      async () => {
        const texts = await received()
        return all.every((text) => texts.includes(text))
      },
      'all received',
      { progress: received },
    )
    for (const text of all) expect(countOf(await received(), text), text).to.equal(1)
    const part = await eventually(async () => {
      const { data } = await gateway.get('/events?limit=1000', token)
      return (data.Events as { event: { Message?: { imageMessage?: Record<string, string> } } }[])
        .map(({ event }) => event.Message?.imageMessage)
        .find((image) => image !== undefined)
    }, 'the picture')
    const downloaded = await gateway.post(
      '/message/downloadimage',
      {
        Url: part['URL'],
        DirectPath: part['directPath'],
        MediaKey: part['mediaKey'],
        Mimetype: part['mimetype'],
        FileEncSHA256: part['fileEncSHA256'],
        FileSHA256: part['fileSHA256'],
        FileLength: Number(part['fileLength']),
      },
      token,
    )
    expect(downloaded.status, downloaded.error).to.equal(200)
    // The ratchets go on, in both directions, in chats as in groups.
    for (const [to, text] of [
      [bob, 'after'],
      [team, 'after in the group'],
    ] as const) {
      const answer = await send(to, text)
      expect(answer.status, answer.error).to.equal(200)
      await reached(bob, text)
    }
    await write(ana, 'and back')
    await eventually(async () => countOf(await received(), 'and back') === 1, 'received after it')
    expect((await view()).Undecryptable).to.equal(0)
    const again = await act(ana, { Action: 'pin', Chat: bob, Data: { On: false } })
    expect(again).to.deep.equal({})
  })

  whole.it(
    'loses nothing that it has acknowledged, and delivers nothing twice, when it is killed again and again',
    async () => {
      const acknowledged: string[] = []
      const fromPhone: string[] = []
      for (let round = 0; round < 3; round += 1) {
        const sends = Array.from({ length: 8 }, async (_, at) => {
          const text = `session ${round}.${at}`
          const { status } = await send(bob, text)
          if (status === 200) acknowledged.push(text)
        })
        const writes = Array.from({ length: 8 }, async (_, at) => {
          const text = `phone ${round}.${at}`
          await write(ana, text).then(
            () => fromPhone.push(text),
            () => undefined,
          )
        })
        // While some of them are on their way.
        await Promise.race([...sends, ...writes])
        await restart()
        await Promise.all([...sends, ...writes])
        await loggedIn()
      }
      expect(acknowledged.length + fromPhone.length).to.be.greaterThan(2)
      await eventually(
        async () => {
          const [onPhone, inEvents] = [await textsOn(bob), await received()]
          return (
            acknowledged.every((text) => onPhone.includes(text)) &&
            fromPhone.every((text) => inEvents.includes(text))
          )
        },
        'everything acknowledged is there',
        { progress: async () => [(await textsOn(bob)).length, (await received()).length] },
      )
      const [onPhone, inEvents] = [await textsOn(bob), await received()]
      for (const text of acknowledged) expect(countOf(onPhone, text), text).to.equal(1)
      for (const text of fromPhone) expect(countOf(inEvents, text), text).to.equal(1)
    },
  )

  it('says which file it can not read, and what to do', async () => {
    await network.end('SIGTERM')
    const file = join(dataDir, 'sandbox-state', 'state')
    expect(existsSync(file)).to.equal(true)
    const state = readFileSync(file)
    writeFileSync(file, state.subarray(0, 100))
    const failure = await startNetwork().catch((error: Error) => error.message)
    expect(failure)
      .to.include(`${file} can not be read`)
      .and.include('remove it to start with an empty network')
    writeFileSync(file, state)
    await startNetwork()
    expect(await textsOn(bob)).to.include('from the session')
  })

  it('has its hosted devices after kill -9, with their sessions', async () => {
    const business = { Name: 'Bakery', Business: true }
    const bakery = (await network.post('/sandbox/phones', business, admin)).data.Phone
    await act(bakery, { Action: 'addHostedDevice' })
    const hosted = async () => (await network.get(`/sandbox/phones/${bakery}`, admin)).data.Hosted
    const decrypted = (id: string) =>
      eventually(async () => (await hosted()).Messages.some(({ ID }: Seen) => ID === id), 'decrypted')
    const first = await write(bakery, 'any bread?')
    await decrypted(first)
    await restart()
    await decrypted(first)
    await decrypted(await write(bakery, 'and cake?'))
    await act(bakery, { Action: 'writeFromHosted', Chat: bob, Text: 'both' })
    await reached(bob, 'both')
    expect(await hosted()).to.include({ Undecryptable: 0 })
  })
})
