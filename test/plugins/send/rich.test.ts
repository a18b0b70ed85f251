import { createHash } from 'node:crypto'
import { expect } from 'chai'
import { definePlugin } from '../../../kernel/plugin.ts'
import type { Stored } from '../../../plugins/sandbox/phone/messages/store.ts'
import type { Phone } from '../../../plugins/sandbox/phone/phone.ts'
import { eventually } from '../../support/eventually.ts'
import { picture } from '../../support/picture.ts'
import { shows } from '../../support/run/proof.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'

/** Proto as JSON: what the phone decrypted. */
// biome-ignore lint/suspicious/noExplicitAny: the shape is what is under test
type Json = any

describe('rich messages', () => {
  let world: World
  let session: LinkedSession
  let ana: Phone
  let image: string
  const heard: Json[] = []
  before(async () => {
    const ear = definePlugin({
      name: 'ear',
      version: '1.0.0',
      api: '^1.0.0',
      on: { Message: ({ body }) => void heard.push(body.event) },
    })
    ;({ world, session, ana } = await openShop({ extra: [ear] }))
    image = await picture(90, 300)
  })
  after(() => world.stop())

  /** Sends, and answers what the other phone decrypted under that id. */
  const sent = async (path: string, body: object, phone = ana): Promise<Stored> => {
    const answer = await session.post(path, { Phone: phone.account.phone, ...body })
    expect(answer, answer.error).to.include({ status: 200, success: true })
    return phone.wait(({ id }) => id === answer.data.Id)
  }
  const interactive = ({ message }: Stored): Json => {
    expect(message).to.have.property('interactiveMessage')
    return message['interactiveMessage']
  }
  const buttonsOf = (shown: Json): { name: string; params: Json }[] =>
    shown.nativeFlowMessage.buttons.map(({ name, buttonParamsJson }: Json) => ({
      name,
      params: JSON.parse(buttonParamsJson),
    }))
  const biz = ({ nodes = [] }: Stored): Json => nodes.find(({ tag }) => tag === 'biz')
  const flowName = (stored: Stored): string => biz(stored).content[0].content[0].attrs.name
  const hashOf = (dataUrl: string): string =>
    createHash('sha256')
      .update(Buffer.from(dataUrl.split(',')[1] ?? '', 'base64'))
      .digest('hex')

  describe('buttons', () => {
    shows(
      'POST /send/template',
      'sends a button of each kind, with the stanza nodes that phones require',
      async () => {
        const stored = await sent('/send/template', {
          Content: 'pick',
          Title: 'Hello',
          Footer: 'bye',
          Buttons: [
            { DisplayText: 'Yes', Type: 'quickreply', Id: 'y' },
            { DisplayText: 'Site', Type: 'url', Url: 'https://example.com/a?b=c@d' },
            { displaytext: 'Call', Type: 'call', PhoneNumber: '+55 11 98888-7777' },
            { text: 'Code', Type: 'copy', CopyCode: 'A1' },
          ],
        })
        const shown = interactive(stored)
        expect(shown).to.nested.include({
          'header.title': 'Hello',
          'body.text': 'pick',
          'footer.text': 'bye',
        })
        expect(buttonsOf(shown)).to.deep.equal([
          { name: 'quick_reply', params: { display_text: 'Yes', id: 'y' } },
          {
            name: 'cta_url',
            params: {
              display_text: 'Site',
              url: 'https://example.com/a?b=c@d',
              merchant_url: 'https://example.com/a?b=c@d',
            },
          },
          { name: 'cta_call', params: { display_text: 'Call', phone_number: '+5511988887777' } },
          { name: 'cta_copy', params: { display_text: 'Code', copy_code: 'A1' } },
        ])
        expect(biz(stored).attrs).to.include({ actual_actors: '2', host_storage: '2' })
        expect(Number(biz(stored).attrs.privacy_mode_ts)).to.be.closeTo(Date.now() / 1000, 60)
        expect(biz(stored).content[0].attrs).to.deep.equal({ type: 'native_flow', v: '1' })
        expect(biz(stored).content[0].content[0].attrs).to.deep.equal({ v: '9', name: 'mixed' })
        expect(biz(stored).content[1]).to.deep.include({
          tag: 'quality_control',
          attrs: { source_type: 'third_party' },
        })
        expect(stored.nodes?.find(({ tag }) => tag === 'bot')?.attrs).to.deep.equal({ biz_bot: '1' })
      },
    )

    shows('POST /send/template', 'sends URL buttons alone under their own flow name', async () => {
      const stored = await sent('/send/template', {
        Content: 'read',
        Buttons: [{ DisplayText: 'Site', Type: 'url', Url: 'https://example.com' }],
      })
      expect(flowName(stored)).to.equal('cta_url')
    })

    shows('POST /send/template', 'sends plain text without buttons', async () => {
      const { message, nodes } = await sent('/send/template', { Content: 'only text', Title: 'Note' })
      expect(message).to.have.nested.property('extendedTextMessage.text', '*Note*\n\nonly text')
      expect(nodes).to.deep.equal([])
    })

    shows('POST /send/buttons', 'sends reply buttons, and raises an event for the reply', async () => {
      const stored = await sent('/send/buttons', {
        Title: 'Lunch',
        Content: 'when?',
        Footer: 'please',
        Buttons: [{ id: 'now', text: 'Now' }, { ButtonText: 'Later' }],
      })
      expect(buttonsOf(interactive(stored))).to.deep.equal([
        { name: 'quick_reply', params: { display_text: 'Now', id: 'now' } },
        { name: 'quick_reply', params: { display_text: 'Later', id: 'Later' } },
      ])
      const nativeFlowResponseMessage = { name: 'quick_reply', paramsJson: '{"id":"now"}', version: 3 }
      const Message = { interactiveResponseMessage: { body: { text: 'Now' }, nativeFlowResponseMessage } }
      const id = await ana.send(session.phone.account.phone, { Message })
      await eventually(async () => {
        const tap = heard.find(({ Info }) => Info.ID === id)
        return expect(tap).to.have.nested.property(
          'Message.interactiveResponseMessage.nativeFlowResponseMessage.paramsJson',
          '{"id":"now"}',
        )
      }, 'logged')
    })

    shows('POST /send/buttons', 'sends to a group without the bot node', async () => {
      const { JID } = await ana.act({
        Action: 'createGroup',
        Text: 'Team',
        Participants: [session.phone.account.phone],
      })
      const stored = await sent('/send/buttons', {
        Phone: String(JID),
        Title: 't',
        Content: 'c',
        Footer: 'f',
        Buttons: [{ text: 'ok' }],
      })
      expect(stored.chat).to.equal(JID)
      expect(flowName(stored)).to.equal('mixed')
      expect(stored.nodes?.map(({ tag }) => tag)).to.deep.equal(['biz'])
    })

    for (const Type of ['image', 'video', 'document'] as const) {
      shows('POST /send/mediabutton', `sends a file of type ${Type} above the text`, async () => {
        const film = Buffer.from('\0\0\0\u0018ftypisom\0\0\0\0isommp42').toString('base64')
        const Media = Type === 'video' ? `data:video/mp4;base64,${film}` : image
        const stored = await sent('/send/mediabutton', {
          Content: 'look',
          Title: 'New',
          Type,
          Media,
          Filename: 'new.jpg',
          Buttons: [{ DisplayText: 'Want', Type: 'reply', Id: 'w' }],
          MessageId: `header-${Type}`,
        })
        expect(stored.id).to.equal(`header-${Type}`)
        const shown = interactive(stored)
        expect(shown.header).to.include({ hasMediaAttachment: true, title: 'New' })
        const mimetype = Type === 'video' ? 'video/mp4' : 'image/jpeg'
        expect(shown.header[`${Type}Message`]).to.include({ mimetype })
        expect(stored.files?.map(({ sha256 }) => sha256)).to.deep.equal([hashOf(Media)])
        expect(buttonsOf(shown)).to.have.length(1)
      })
    }

    shows('POST /send/list', 'sends rows to choose from', async () => {
      const stored = await sent('/send/list', {
        ButtonText: 'Menu',
        Desc: 'our food',
        TopText: 'Today',
        FooterText: 'until 3',
        List: [{ title: 'Soup', desc: 'hot', RowId: 's' }, { title: 'Salad' }],
      })
      const shown = interactive(stored)
      expect(shown).to.nested.include({
        'header.title': 'Today',
        'body.text': 'our food',
        'footer.text': 'until 3',
      })
      expect(buttonsOf(shown)).to.deep.equal([
        {
          name: 'single_select',
          params: {
            title: 'Menu',
            sections: [
              {
                title: 'Today',
                rows: [
                  { title: 'Soup', description: 'hot', id: 's' },
                  { title: 'Salad', description: '', id: 'Salad' },
                ],
              },
            ],
          },
        },
      ])
      expect(flowName(stored)).to.equal('mixed')
    })

    shows('POST /send/list', 'sends rows in sections', async () => {
      const stored = await sent('/send/list', {
        ButtonText: 'Menu',
        Desc: 'd',
        TopText: 't',
        Sections: [
          { title: 'Hot', rows: [{ title: 'Soup' }] },
          { title: 'Cold', rows: [{ title: 'Salad' }] },
        ],
      })
      const [button] = buttonsOf(interactive(stored))
      expect(button?.params.sections.map(({ title }: Json) => title)).to.deep.equal(['Hot', 'Cold'])
    })

    shows('POST /send/locationbutton', 'sends a location request', async () => {
      const stored = await sent('/send/locationbutton', { Body: 'where are you?' })
      expect(interactive(stored)).to.have.nested.property('body.text', 'where are you?')
      expect(buttonsOf(interactive(stored))[0]?.name).to.equal('send_location')
      expect(flowName(stored)).to.equal('mixed')
    })

    shows('POST /send/template', 'sends a reply with its context', async () => {
      const stored = await sent('/send/template', {
        Content: 'well?',
        Buttons: [{ DisplayText: 'Yes' }],
        ContextInfo: { StanzaId: 'ABC', MentionedJID: [ana.account.phone] },
        QuotedText: 'a question',
      })
      expect(interactive(stored).contextInfo).to.deep.include({
        stanzaId: 'ABC',
        mentionedJid: [ana.account.jid],
        quotedMessage: { conversation: 'a question' },
      })
    })
  })

  describe('payments', () => {
    shows('POST /send/pixbutton', 'sends key and recipient', async () => {
      const stored = await sent('/send/pixbutton', {
        Body: 'pay here',
        PixKey: 12345678901,
        PixType: 'cpf',
        MerchantName: 'Acme',
        Title: 'Bill',
      })
      const [button] = buttonsOf(interactive(stored))
      expect(button?.name).to.equal('payment_info')
      expect(button?.params).to.include({ currency: 'BRL' })
      expect(button?.params.reference_id).to.match(/^[A-Z0-9]{11}$/)
      expect(button?.params.payment_settings).to.deep.equal([
        {
          type: 'pix_static_code',
          pix_static_code: { merchant_name: 'Acme', key: '12345678901', key_type: 'CPF' },
        },
      ])
      expect(biz(stored).attrs).to.include({ native_flow_name: 'payment_info' })
      expect(biz(stored).content).to.equal(undefined)
    })

    shows('POST /send/pixbutton', 'uses a random key and the own name by default', async () => {
      const stored = await sent('/send/pixbutton', {
        Body: 'pay',
        PixKey: 'b6295ee1-f054-47d1-9e90-ee57b74f60d9',
      })
      const [button] = buttonsOf(interactive(stored))
      expect(button?.params.payment_settings[0].pix_static_code).to.include({
        key_type: 'EVP',
        merchant_name: 'Shop',
      })
    })

    shows('POST /send/reviewpay', 'sums up the items', async () => {
      const stored = await sent('/send/reviewpay', {
        Body: 'your order',
        PixKey: 'a@b.com',
        PixType: 'EMAIL',
        Title: 'Order',
        Caption: 'of today',
        ReferenceID: 'R-1',
        Items: [
          { Name: 'Soup', Quantity: 2, Amount: 1000, RetailerId: 'soup' },
          { name: 'Salad', amount: { value: 5000, offset: 1000 }, SaleAmount: 400 },
        ],
      })
      expect(interactive(stored).header).to.include({ title: 'Order', subtitle: 'of today' })
      const [button] = buttonsOf(interactive(stored))
      expect(button?.name).to.equal('review_and_pay')
      expect(button?.params).to.deep.include({
        currency: 'BRL',
        reference_id: 'R-1',
        total_amount: { value: 2400, offset: 100 },
      })
      expect(button?.params.order).to.deep.include({ subtotal: { value: 2400, offset: 100 } })
      expect(button?.params.order.items).to.deep.equal([
        { name: 'Soup', amount: { value: 1000, offset: 100 }, quantity: 2, retailer_id: 'soup' },
        {
          name: 'Salad',
          amount: { value: 500, offset: 100 },
          quantity: 1,
          sale_amount: { value: 400, offset: 100 },
        },
      ])
      expect(biz(stored).attrs).to.include({ native_flow_name: 'order_details' })
    })

    shows(
      'POST /send/reviewpay',
      'shows the difference to a given total as discount or shipping',
      async () => {
        const order = async (TotalValue: number) => {
          const Items = [{ Name: 'Soup', Amount: 1000 }]
          const stored = await sent('/send/reviewpay', { Body: 'b', PixKey: 'k', TotalValue, Items })
          return buttonsOf(interactive(stored))[0]?.params.order
        }
        expect(await order(900)).to.nested.include({ 'discount.value': 100, 'shipping.value': 0 })
        expect(await order(1200)).to.nested.include({ 'discount.value': 0, 'shipping.value': 200 })
      },
    )
  })

  describe('previews', () => {
    const preview = (Image: string) => ({
      Text: 'see https://example.com/x now',
      MatchedURL: 'https://example.com/x',
      Title: 'Example',
      Description: 'A page',
      Image,
    })

    shows('POST /send/preview', 'sends an inline picture', async () => {
      const { message } = await sent('/send/preview', preview(image))
      const text = message['extendedTextMessage'] as Json
      expect(text).to.include({
        text: 'see https://example.com/x now',
        matchedText: 'https://example.com/x',
        title: 'Example',
        description: 'A page',
      })
      expect(Buffer.from(text.jpegThumbnail, 'base64').subarray(0, 2).toString('hex')).to.equal('ffd8')
      expect(text).not.to.have.property('thumbnailDirectPath')
    })

    shows('POST /send/preview', 'appends a missing link to the text', async () => {
      const { message } = await sent('/send/preview', { ...preview(image), Text: 'look' })
      expect(message).to.have.nested.property('extendedTextMessage.text', 'look\nhttps://example.com/x')
    })

    shows('POST /send/preview2', 'sends a large picture as a file', async () => {
      const { message, files } = await sent('/send/preview2', preview(image))
      expect(message['extendedTextMessage']).to.include({ thumbnailWidth: 300, thumbnailHeight: 300 })
      expect(files?.map(({ sha256 }) => sha256)).to.deep.equal([hashOf(image)])
    })

    shows('POST /send/groupinvite', 'sends the link with its title', async () => {
      const MatchedText = 'https://chat.whatsapp.com/AbCdEf123'
      const { message } = await sent('/send/groupinvite', {
        Text: 'join us',
        MatchedText,
        Title: 'Team',
        Image: image,
      })
      expect(message['extendedTextMessage']).to.include({
        text: `join us\n${MatchedText}`,
        matchedText: MatchedText,
        title: 'Team',
        inviteLinkGroupTypeV2: 'DEFAULT',
      })
      expect(message).to.have.nested.property('extendedTextMessage.jpegThumbnail').that.is.not.empty
    })
  })

  describe('carousels', () => {
    shows('POST /send/carousel', 'sends text and cards', async () => {
      const stored = await sent('/send/carousel', {
        Message: 'two things',
        Footer: 'more to come',
        Cards: [
          { text: 'one', title: 'First', footer: 'f', buttons: [{ id: 'a', label: 'A', type: 'reply' }] },
          { text: 'two', buttons: [{ label: 'B', url: 'https://example.com', type: 'url' }] },
        ],
      })
      const { body, footer, carouselMessage } = interactive(stored)
      expect([body.text, footer.text]).to.deep.equal(['two things', 'more to come'])
      expect(carouselMessage.carouselCardType).to.equal('HSCROLL_CARDS')
      const [first, second] = carouselMessage.cards
      expect(first).to.nested.include({ 'body.text': 'one', 'header.title': 'First', 'footer.text': 'f' })
      expect(buttonsOf(first)).to.deep.equal([
        { name: 'quick_reply', params: { display_text: 'A', id: 'a' } },
      ])
      expect(buttonsOf(second)[0]?.name).to.equal('cta_url')
      expect(flowName(stored)).to.equal('mixed')
    })

    shows('POST /send/carouselmedia', 'sends a picture on each card', async () => {
      const other = await picture(10, 120)
      const stored = await sent('/send/carouselmedia', {
        Body: 'pictures',
        Carousel: [
          {
            text: 'one',
            media_url: image,
            media_type: 'image',
            buttons: [{ id: '+5511988887777', label: 'Call', type: 'call' }],
          },
          {
            text: 'two',
            media_url: other,
            media_type: 'image',
            buttons: [{ id: 'XY', label: 'Copy', type: 'copy' }],
          },
        ],
      })
      const { cards } = interactive(stored).carouselMessage
      for (const { header } of cards) expect(header).to.include({ hasMediaAttachment: true })
      expect(stored.files?.map(({ sha256 }) => sha256)).to.deep.equal([hashOf(image), hashOf(other)])
      expect(cards.map((card: Json) => buttonsOf(card)[0]?.name)).to.deep.equal(['cta_call', 'cta_copy'])
    })
  })

  describe('what is refused', () => {
    const reply = { DisplayText: 'a' }
    const cards = [{ text: 'one' }, { text: 'two' }]
    const wrong: readonly [what: string, path: string, body: () => object, error: string][] = [
      [
        'four answers',
        'template',
        () => ({ Content: 'x', Buttons: [reply, reply, reply, reply] }),
        'Invalid Buttons',
      ],
      [
        'a page without its address',
        'template',
        () => ({ Content: 'x', Buttons: [{ ...reply, Type: 'url' }] }),
        'Missing Buttons.0.Url',
      ],
      [
        'a page that is none',
        'template',
        () => ({ Content: 'x', Buttons: [{ ...reply, Type: 'url', Url: 'javascript:1' }] }),
        'Invalid Buttons.0.Url',
      ],
      [
        'a call to nobody',
        'template',
        () => ({ Content: 'x', Buttons: [{ ...reply, Type: 'call' }] }),
        'Missing Buttons.0.PhoneNumber',
      ],
      [
        'an unknown kind of button',
        'template',
        () => ({ Content: 'x', Buttons: [{ ...reply, Type: 'dance' }] }),
        'Invalid Buttons.0.Type: must be one of',
      ],
      [
        'an empty copy',
        'template',
        () => ({ Content: 'x', Buttons: [{ ...reply, Type: 'copy' }] }),
        'Missing Buttons.0.Id',
      ],
      [
        'no buttons',
        'buttons',
        () => ({ Title: 't', Content: 'x', Footer: 'f', Buttons: [] }),
        'Missing Buttons',
      ],
      [
        'a list without rows',
        'list',
        () => ({ ButtonText: 'b', Desc: 'd', TopText: 't', List: [] }),
        'Missing List',
      ],
      [
        'a picture that is none',
        'mediabutton',
        () => ({ Content: 'x', Type: 'image', Media: 'aGVsbG8=', Buttons: [reply] }),
        'Unsupported media in Media',
      ],
      [
        'an unknown kind of key',
        'pixbutton',
        () => ({ Body: 'x', PixKey: 'k', PixType: 'IBAN' }),
        'Invalid PixType',
      ],
      [
        'an invite to elsewhere',
        'groupinvite',
        () => ({ Text: 'x', MatchedText: 'https://a.b/c', Title: 't' }),
        'Invalid MatchedText',
      ],
      ['one card', 'carousel', () => ({ Carousel: [{ text: 'x' }] }), 'Invalid Carousel'],
      ['a carousel of nothing', 'carousel', () => ({}), 'Missing Carousel'],
      [
        'a card without its picture',
        'carouselmedia',
        () => ({ Carousel: cards }),
        'Missing Carousel.0.media_url',
      ],
      [
        'a card whose picture is none',
        'carouselmedia',
        () => ({ Carousel: cards.map((card) => ({ ...card, media_url: 'aGVsbG8=' })) }),
        'Unsupported media in Carousel.0.media_url',
      ],
    ]
    for (const [what, path, body, error] of wrong) {
      it(`refuses ${what} and sends nothing`, async () => {
        const before = world.counters()['messages']
        const answer = await session.post(`/send/${path}`, { Phone: ana.account.phone, ...body() })
        expect(answer).to.include({ success: false })
        expect(answer.status).to.be.oneOf([400, 415])
        expect(answer.error).to.include(error)
        expect(world.counters()['messages']).to.equal(before)
      })
    }
  })
})
