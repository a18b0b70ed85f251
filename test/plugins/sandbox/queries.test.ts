import { createHash } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { expect } from 'chai'
import { wire } from '../../../plugins/baileys/protocol/wire.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { bytes, child, children, el, seconds, text } from '../../../plugins/sandbox/stanza.ts'
import type { Account, Stanza, Uplink } from '../../../plugins/sandbox/types.ts'
import { eventually } from '../../support/eventually.ts'
import { type LooseNetwork, startNetwork } from '../../support/network.ts'

/** Queries that other clients than the gateway's make. */
describe('queries to the local network', () => {
  let loose: LooseNetwork
  let shop: Phone
  let line: Uplink
  let jid: string
  const received: Stanza[] = []
  before(async () => {
    loose = await startNetwork()
    shop = await loose.phones.create({ name: 'Shop', business: true })
    const account = loose.network.createAccount({ name: 'Asking' })
    jid = account.jid
    line = lineOf(account, received)
  })
  after(() => loose.network.close())

  const lineOf = (account: Account, seen: Stanza[] = []): Uplink =>
    loose.network.connectPhone(account, {
      receive: (stanza) => void seen.push(stanza),
      linkCode: () => undefined,
    })
  const query = (xmlns: string, type: 'get' | 'set', content: Stanza[], to = 's.whatsapp.net') =>
    line.query(el('iq', { id: '1', xmlns, type, to }, content))
  const refusalOf = (asked: Promise<Stanza>) =>
    asked.then(
      () => 'answered',
      (error: { code: number }) => error.code,
    )

  /** Changes the list of contacts from whom these settings are hidden. */
  const exclude = (action: string, contact: Account, ...names: string[]) => {
    const user = el('user', { jid: contact.jid, action })
    const categories = names.map((name) => el('category', { name, value: 'contact_blacklist' }, [user]))
    return query('privacy', 'set', [el('privacy', {}, categories)])
  }

  it('to the server of groups are answered as from a JID, however it is addressed', async () => {
    const replies = []
    for (const to of ['g.us', '@g.us']) replies.push(await query('w:g2', 'get', [el('participating')], to))
    expect(replies.map(({ attrs }) => attrs['from'])).to.deep.equal(['@g.us', '@g.us'])
    expect(replies.map((reply) => child(reply, 'groups') !== undefined)).to.deep.equal([true, true])
  })

  it('that describe a group name the description that they replace', async () => {
    const created = await query('w:g2', 'set', [el('create', { subject: 'Team', key: 'K' })], '@g.us')
    const group = `${child(created, 'group')?.attrs['id']}@g.us`
    const describe = (id: string, prev?: string) => {
      const body = el('body', {}, Buffer.from(id))
      return refusalOf(query('w:g2', 'set', [el('description', { id, prev }, [body])], group))
    }
    const described = async () => {
      const reply = await query('w:g2', 'get', [el('query')], group)
      return child(child(reply, 'group'), 'description')?.attrs['id']
    }
    expect(await describe('FIRST', 'NONE')).to.equal(409)
    expect(await describe('FIRST')).to.equal('answered')
    expect(await describe('SECOND', 'FIRST')).to.equal('answered')
    for (const prev of [undefined, 'FIRST', 'NONE']) expect(await describe('THIRD', prev)).to.equal(409)
    expect(await described()).to.equal('SECOND')
    expect(await describe('THIRD', 'SECOND')).to.equal('answered')
    expect(await described()).to.equal('THIRD')
  })

  it('that block somebody name the LID, and the number beside it', async () => {
    const other = loose.network.createAccount({ name: 'Blocked' })
    const change = (action: string, attrs: Record<string, string>) =>
      refusalOf(query('blocklist', 'set', [el('item', { action, ...attrs })]))
    const blocked = () => loose.network.brief(loose.network.account(jid) as Account).blocked
    expect(await change('block', { jid: other.jid })).to.equal(400)
    expect(await change('block', { jid: other.lid })).to.equal(400)
    expect(blocked()).to.deep.equal([])
    expect(await change('block', { jid: other.lid, pn_jid: other.jid })).to.equal('answered')
    expect(await change('unblock', { jid: other.jid })).to.equal(400)
    expect(blocked()).to.deep.equal([other.lid])
    expect(await change('unblock', { jid: other.lid })).to.equal('answered')
    expect(await change('block', { jid: other.lid, unknown_identifier: 'true' })).to.equal('answered')
    expect(blocked()).to.deep.equal([other.lid])
  })

  it('that set privacy are refused with a value of another setting, and change nothing', async () => {
    const change = (name: string, value: string) =>
      refusalOf(query('privacy', 'set', [el('privacy', {}, [el('category', { name, value })])]))
    const stored = async (name: string) =>
      children(child(await query('privacy', 'get', [el('privacy')]), 'privacy')).find(
        ({ attrs }) => attrs['name'] === name,
      )?.attrs['value']
    expect(await change('messages', 'contacts')).to.equal('answered')
    expect(await change('messages', 'none')).to.equal(400)
    expect(await change('readreceipts', 'contacts')).to.equal(400)
    expect(await change('shoes', 'all')).to.equal(400)
    expect(await stored('messages')).to.equal('contacts')
    expect(await stored('readreceipts')).to.equal('all')
  })

  it('for the digest of the own keys are answered with all of them, and refused without keys', async () => {
    const keyless = lineOf(loose.network.createAccount({}))
    const digest = el('iq', { id: '1', xmlns: 'encrypt', type: 'get', to: 's.whatsapp.net' }, [el('digest')])
    expect(await refusalOf(keyless.query(digest))).to.equal(404)
    const key = (byte: number): Buffer => Buffer.alloc(32, byte)
    const signature = Buffer.alloc(64, 9)
    const id = (number: number): Buffer => Buffer.from([0, 0, number])
    const oneTime = [1, 2].map((number) =>
      el('key', {}, [el('id', {}, id(number)), el('value', {}, key(number))]),
    )
    const skey = el('skey', {}, [
      el('id', {}, id(7)),
      el('value', {}, key(7)),
      el('signature', {}, signature),
    ])
    await query('encrypt', 'set', [
      el('registration', {}, Buffer.from([0, 0, 1, 2])),
      el('type', {}, Buffer.from([5])),
      el('identity', {}, key(8)),
      el('list', {}, oneTime),
      skey,
    ])
    const answer = child(await line.query(digest), 'digest')
    expect(bytes(child(answer, 'registration'))).to.deep.equal(Buffer.from([0, 0, 1, 2]))
    expect(bytes(child(answer, 'type'))).to.deep.equal(Buffer.from([5]))
    expect(bytes(child(answer, 'identity'))).to.deep.equal(key(8))
    expect(child(answer, 'skey')).to.deep.equal(skey)
    expect(children(child(answer, 'list')).map(bytes)).to.deep.equal([id(1), id(2)])
    const hashed = Buffer.concat([key(8), key(7), signature, key(1), key(2)])
    expect(bytes(child(answer, 'hash'))).to.deep.equal(createHash('sha1').update(hashed).digest())
  })

  it('for keys are also answered by device, and for identities alone', async () => {
    const device = el('device', { id: 0 }, [el('registration', {}, Buffer.alloc(4))])
    const users = ['999000000000@s.whatsapp.net', shop.account.jid].map((who) =>
      el('user', { jid: who }, [device]),
    )
    const fetched = children(
      child(await query('encrypt', 'get', [el('key_fetch', {}, users)]), 'list'),
      'user',
    )
    expect(fetched.map((user) => child(user, 'error')?.attrs['code'])).to.deep.equal(['404', undefined])
    const bundle = child(fetched[1], 'device')
    expect(bundle?.attrs).to.deep.equal({ id: '0' })
    expect(children(bundle).map(({ tag }) => tag)).to.deep.equal([
      'registration',
      'type',
      'identity',
      'key',
      'skey',
    ])
    const asked = el('identity', {}, [el('user', { jid: shop.account.jid })])
    const [user] = children(child(await query('encrypt', 'get', [asked]), 'list'), 'user')
    expect(bytes(child(user, 'identity'))).to.deep.equal(bytes(child(bundle, 'identity')))
  })

  it('for the verified name of a business are answered with its certificate', async () => {
    const asked = (who: string) => query('w:biz', 'get', [el('verified_name', { jid: who })])
    const { VerifiedNameCertificate } = wire.proto
    const { details } = VerifiedNameCertificate.decode(
      bytes(child(await asked(shop.account.jid), 'verified_name')),
    )
    const { verifiedName } = VerifiedNameCertificate.Details.decode(details ?? new Uint8Array())
    expect(verifiedName).to.equal('Shop')
    expect(child(await asked(jid), 'verified_name')).to.equal(undefined)
    expect(await refusalOf(asked('999000000000@s.whatsapp.net'))).to.equal(404)
  })

  it('for the contacts that a privacy setting excludes list them', async () => {
    const list = el('privacy', {}, [el('list', { name: 'status', value: 'contact_blacklist' })])
    const excluded = async () =>
      children(child(child(await query('privacy', 'get', [list]), 'privacy'), 'list'), 'user').map(
        ({ attrs }) => attrs['jid'],
      )
    await exclude('add', shop.account, 'status')
    expect(await excluded()).to.deep.equal([shop.account.lid])
    const unknown = el('category', { name: 'status', value: 'contact_blacklist' }, [
      el('user', { jid: '999000000000@s.whatsapp.net', action: 'add' }),
    ])
    expect(await refusalOf(query('privacy', 'set', [el('privacy', {}, [unknown])]))).to.equal(404)
    await exclude('remove', shop.account, 'status')
    expect(await excluded()).to.deep.equal([])
  })

  it('for the about text tell when it was set, which others are not', async () => {
    const account = loose.network.createAccount({ name: 'Writing' })
    const own = lineOf(account)
    const about = async () => {
      const usync = el('usync', { mode: 'query' }, [
        el('query', {}, [el('status')]),
        el('list', {}, [el('user', { jid: account.jid })]),
      ])
      const reply = await own.query(el('iq', { id: '1', xmlns: 'usync', type: 'get' }, [usync]))
      return child(child(child(child(reply, 'usync'), 'list'), 'user'), 'status')
    }
    const first = await about()
    await eventually(() => seconds() > Number(first?.attrs['t']), 'another second')
    expect((await about())?.attrs).to.deep.equal(first?.attrs)
    const change = el('status', {}, Buffer.from('old way'))
    await own.query(el('iq', { id: '2', xmlns: 'status', type: 'set', to: 's.whatsapp.net' }, [change]))
    expect(await about()).to.deep.equal(first)
    const set = async (input: object) => {
      const stored = Buffer.from(JSON.stringify({ variables: { input } }))
      const asked = el('query', { query_id: '9152604461510864' }, stored)
      const reply = await own.query(el('iq', { id: '3', xmlns: 'w:mex', type: 'get' }, [asked]))
      return JSON.parse(text(child(reply, 'result'))) as { errors?: { extensions: object }[] }
    }
    const long = await set({ text: 'x'.repeat(140) })
    expect(long.errors?.[0]?.extensions).to.deep.equal({ error_code: 406 })
    await set({ text: 'new', emoji: { content: '🌞' }, ephemeral_duration_sec: 0 })
    expect(bytes(await about()).toString()).to.equal('🌞 new')
    await set({ text: 'new', ephemeral_duration_sec: 0 })
    const second = await about()
    expect(bytes(second).toString()).to.equal('new')
    expect(Number(second?.attrs['t'])).to.be.greaterThan(Number(first?.attrs['t']))
  })

  it('for what a contact shows are answered for its contacts, but for those that it excludes', async () => {
    const friend = loose.network.createAccount({ name: 'Friend' })
    const seen: Stanza[] = []
    const viewer = lineOf(friend, seen)
    const picture = el('picture', { type: 'image' }, Buffer.from([0xff, 0xd8]))
    await query('w:profile:picture', 'set', [picture])
    const addressBook = el('user', {}, [el('contact', {}, Buffer.from(friend.phone))])
    await query('usync', 'get', [
      el('usync', { mode: 'delta' }, [el('query', {}, [el('contact')]), el('list', {}, [addressBook])]),
    ])
    const setOnline = (type: string): void => line.send(el('presence', { type }))
    const visible = async () => {
      const asked = el('iq', { id: '1', xmlns: 'w:profile:picture', type: 'get', target: jid }, [
        el('picture', { type: 'image', query: 'url' }),
      ])
      const profile = await viewer.query(asked).then(
        () => 'shown',
        ({ code }: { code: number }) => code,
      )
      const usync = el('usync', { mode: 'query' }, [
        el('query', {}, [el('status'), el('picture')]),
        el('list', {}, [el('user', { jid })]),
      ])
      const reply = await viewer.query(el('iq', { id: '1', xmlns: 'usync', type: 'get' }, [usync]))
      const [user] = children(child(child(reply, 'usync'), 'list'), 'user')
      const about = child(user, 'status')
      viewer.send(el('presence', { type: 'subscribe', to: jid }))
      await turn()
      seen.length = 0
      setOnline('unavailable')
      setOnline('available')
      await turn()
      return {
        profile,
        hasPictureId: child(user, 'picture') !== undefined,
        about: about?.attrs['code'] ?? text(about),
        presences: seen.map(({ attrs }) => attrs['last'] ?? attrs['type']),
      }
    }
    const now = String(Math.floor(Date.now() / 1000)).slice(0, -2)
    const shared = await visible()
    expect(shared).to.deep.include({ profile: 'shown', hasPictureId: true })
    expect(shared.about).to.include('simulated phone')
    expect(shared.presences[0]?.slice(0, -2)).to.equal(now)
    expect(shared.presences.slice(1)).to.deep.equal(['available'])

    await exclude('add', friend, 'profile', 'status', 'last')
    const hidden = { profile: 401, hasPictureId: false, about: '401', presences: ['deny', 'available'] }
    expect(await visible()).to.deep.equal(hidden)
    // Not to share one's own last seen hides that of the other.
    line.send(el('presence', { type: 'subscribe', to: friend.jid }))
    viewer.send(el('presence', { type: 'unavailable' }))
    await turn()
    expect(received.filter(({ tag }) => tag === 'presence').at(-1)?.attrs['last']).to.equal('deny')
  })

  it('for properties are answered for both protocols', async () => {
    const ask = (xmlns: string, protocol: number) =>
      query(xmlns, 'get', [el('props', { protocol, hash: '' })])
    expect(child(await ask('w', 2), 'props')?.attrs).to.include({ protocol: '2' })
    expect(child(await ask('abt', 1), 'props')?.attrs).to.include({ protocol: '1' })
  })

  it('for the e-mail address of the account are answered, and refused if it is too long', async () => {
    const addressed = (address: string) =>
      query('urn:xmpp:whatsapp:account', 'set', [
        el('email', {}, [el('email_address', {}, Buffer.from(address))]),
      ])
    const shown = async () =>
      text(
        child(
          child(await query('urn:xmpp:whatsapp:account', 'get', [el('email')]), 'email'),
          'email_address',
        ),
      )
    expect(await shown()).to.equal('')
    await addressed('ana@example.org')
    expect(await refusalOf(addressed('x'.repeat(321)))).to.equal(406)
    expect(await shown()).to.equal('ana@example.org')
  })
})
