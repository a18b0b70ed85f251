import { expect } from 'chai'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { checkPlugin } from '../../../plugins/sandbox/testing/index.ts'
import { type LinkedSession, startWorld, type World } from '../../support/world.ts'
import { type Cloud, errorOf, openCloud } from './cloud.ts'
import { VERIFY_TOKEN } from './receiver.ts'

describe('the dialect of the Cloud API', () => {
  let cloud: Cloud
  let world: World
  let session: LinkedSession
  let ana: Phone
  let number: string
  before(async () => {
    cloud = await openCloud()
    ;({ world, session, ana, number } = cloud)
  })
  after(() => cloud.stop())
  const graph: Cloud['graph'] = (...args) => cloud.graph(...args)
  const send: Cloud['send'] = (...args) => cloud.send(...args)
  const shown: Cloud['shown'] = (message) => cloud.shown(message)

  it('follows the rules for plugins', async () => {
    expect(await checkPlugin(cloudApi)).to.deep.equal([])
  })

  it('names the plugin that it needs where webhooks are off', async () => {
    const start = startWorld({ extra: [cloudApi], without: ['webhook'] })
    const reason = await start.then(
      () => '',
      (error: unknown) => String(error),
    )
    expect(reason).to.include('cloud-api').and.include('webhooks')
  })

  describe('as Chatwoot uses it (whatsapp_cloud_service.rb)', () => {
    it('is accepted with the token in the address, for the list of templates', async () => {
      const url = `${world.gateway.url}/v14.0/${number}/message_templates?access_token=`
      const listed = await fetch(url + session.token)
      expect(listed.status).to.equal(200)
      const { data, paging } = (await listed.json()) as { data: unknown[]; paging: object }
      expect(data).to.be.an('array')
      expect(paging).not.to.have.property('next')
      expect((await fetch(`${url}wrong`)).status).to.equal(401)
    })

    it('sends a text with a context of null, a file by link, and a list', async () => {
      const base = { messaging_product: 'whatsapp', to: ana.account.phone, context: null }
      const text = await graph('POST', `/v13.0/${number}/messages`, {
        ...base,
        text: { body: 'hi' },
        type: 'text',
      })
      expect(text.body).to.have.nested.property('messages[0].id')
      const document = { link: `${cloud.files.url}/a.jpg`, caption: 'the plan', filename: 'plan.jpg' }
      const raw = await shown({ context: null, type: 'document', document })
      const sent = raw.documentMessage ?? raw.documentWithCaptionMessage?.message?.documentMessage
      expect(sent).to.include({ fileName: 'plan.jpg', caption: 'the plan' })
      const rows = ['One', 'Two', 'Three', 'Four'].map((title, at) => ({ id: `row ${at}`, title }))
      const interactive = {
        type: 'list',
        body: { text: 'Choose' },
        action: { button: 'Open', sections: [{ rows }] },
      }
      const { pollCreationMessage, pollCreationMessageV3 } = await shown({ type: 'interactive', interactive })
      const poll = pollCreationMessageV3 ?? pollCreationMessage
      expect(poll?.options?.map(({ optionName }) => optionName)).to.deep.equal([
        'One',
        'Two',
        'Three',
        'Four',
      ])
    })

    it('registers its webhook with the account, as it does after its sign-up', async () => {
      const path = `/v22.0/${number}/subscribed_apps`
      expect(
        (await graph('POST', `/v22.0/${number}/register`, { messaging_product: 'whatsapp', pin: '123456' }))
          .body,
      ).to.deep.equal({ success: true })
      const wrong = { override_callback_uri: cloud.receiver.url, verify_token: 'wrong' }
      expect(await errorOf(graph('POST', path, wrong))).to.deep.equal([400, 2200])
      const right = { override_callback_uri: cloud.receiver.url, verify_token: VERIFY_TOKEN }
      expect((await graph('POST', path, right)).body).to.deep.equal({ success: true })
      const id = await ana.send(number, { Text: 'for the inbox' })
      expect(await cloud.receiver.body(({ messages }) => messages?.[0]?.id === id)).to.have.property(
        'contacts',
      )
      expect((await graph('GET', path)).body.data[0].override_callback_uri).to.equal(cloud.receiver.url)
      expect((await graph('DELETE', path)).body).to.deep.equal({ success: true })
      expect((await graph('GET', path)).body.data).to.deep.equal([])
    })
  })

  it('answers the calls that Typebot makes at its set-up', async () => {
    const token = await graph('GET', `/v17.0/debug_token?input_token=${session.token}`)
    expect(token.body.data).to.include({ is_valid: true, expires_at: 0 })
    expect(token.body.data.scopes).to.include.members([
      'whatsapp_business_management',
      'whatsapp_business_messaging',
    ])
    const { body } = await graph('GET', `/v17.0/${number}/phone_numbers?fields=display_phone_number`)
    expect(body.data).to.deep.equal([{ id: number, display_phone_number: `+${number}` }])
    expect((await graph('GET', `/v17.0/${number}`)).body).to.include({
      id: number,
      display_phone_number: `+${number}`,
    })
    const button = { type: 'reply', reply: { id: 'a', title: 'Start' } }
    const interactive = { type: 'button', body: { text: 'Shall we?' }, action: { buttons: [button] } }
    const raw = await shown({ recipient_type: 'individual', type: 'interactive', interactive })
    // One choice is no poll.
    expect(raw.extendedTextMessage?.text).to.equal('Shall we?\n\n1. Start')
  })

  it('sends interactive messages as the session says', async () => {
    const put = (interactive: string) =>
      world.gateway.call('PUT', '/session/settings/cloud-api', {
        headers: session.headers,
        body: { Values: { interactive } },
      })
    const buttons = ['Yes', 'No'].map((title) => ({
      type: 'reply',
      reply: { id: title.toLowerCase(), title },
    }))
    const header = { type: 'text', text: 'Order' }
    const asked = {
      type: 'button',
      header,
      body: { text: 'Deliver?' },
      footer: { text: 'Shop' },
      action: { buttons },
    }
    await put('text')
    const text = await shown({ type: 'interactive', interactive: asked })
    expect(text.extendedTextMessage?.text).to.equal('*Order*\n\nDeliver?\n\n1. Yes\n2. No\n\n_Shop_')
    await put('native')
    const native = (await shown({ type: 'interactive', interactive: asked })).interactiveMessage
    expect(native?.nativeFlowMessage?.buttons?.map(({ name }) => name)).to.deep.equal([
      'quick_reply',
      'quick_reply',
    ])
    await put('poll')
    const image = { type: 'image', image: { link: `${cloud.files.url}/a.jpg` } }
    const pictured = await shown({ type: 'interactive', interactive: { ...asked, header: image } })
    expect(pictured.imageMessage?.caption).to.equal('Deliver?\n\n1. Yes\n2. No\n\n_Shop_')
    const action = { name: 'cta_url', parameters: { display_text: 'Open', url: 'https://example.com/a' } }
    const link = await shown({
      type: 'interactive',
      interactive: { type: 'cta_url', body: { text: 'See' }, action },
    })
    expect(link.extendedTextMessage?.text).to.equal('See\n\nOpen: https://example.com/a')
  })

  it('fills templates, and refuses those that do not exist or do not fit', async () => {
    const components = [
      { type: 'HEADER', format: 'TEXT', text: 'Order {{1}}' },
      { type: 'BODY', text: 'Hello {{1}}, it costs {{2}}.' },
      { type: 'BUTTONS', buttons: [{ type: 'URL', text: 'Track', url: 'https://example.com/{{1}}' }] },
    ]
    const created = await graph('POST', `/v23.0/${number}/message_templates`, {
      name: 'paid',
      language: 'en',
      category: 'UTILITY',
      components,
    })
    expect(created.body).to.include({ status: 'APPROVED', category: 'UTILITY' })
    const text = (value: string) => ({ type: 'text', text: value })
    const template = {
      name: 'paid',
      language: { code: 'en' },
      components: [
        { type: 'header', parameters: [text('7')] },
        { type: 'body', parameters: [text('Ana'), { type: 'currency', currency: { fallback_value: '$3' } }] },
        { type: 'button', sub_type: 'url', index: '0', parameters: [text('abc')] },
      ],
    }
    const raw = await shown({ type: 'template', template })
    expect(raw.extendedTextMessage?.text).to.equal(
      '*Order 7*\n\nHello Ana, it costs $3.\n\nTrack: https://example.com/abc',
    )
    expect(
      await errorOf(send({ type: 'template', template: { ...template, components: [] } })),
    ).to.deep.equal([400, 132000])
    expect(await errorOf(send({ type: 'template', template: { ...template, name: 'other' } }))).to.deep.equal(
      [404, 132001],
    )
    expect((await graph('DELETE', `/v23.0/${number}/message_templates?name=paid`)).body).to.deep.equal({
      success: true,
    })
  })
})
