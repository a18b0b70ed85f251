import type { Client } from '@modelcontextprotocol/sdk/client/index.js'
import type { Tool } from '@modelcontextprotocol/sdk/types.js'
import { expect } from 'chai'
import { definePlugin, type Route } from '../../../kernel/plugin.ts'
import chatLog from '../../../plugins/chat-log/index.ts'
import cloudApi from '../../../plugins/cloud-api/index.ts'
import mcp from '../../../plugins/mcp/index.ts'
import schedule from '../../../plugins/schedule/index.ts'
import { type LinkedSession, openShop, type World } from '../../support/world.ts'
import { type Clients, call, clientsOf } from './clients.ts'

/** Of the scope `manage`: each is a decision. What decides who gets messages, or opens the account, is not among them. */
const MANAGE = [
  ...['businessCatalogCreate', 'businessCatalogDelete', 'businessCatalogEdit', 'businessCatalogHide'],
  ...['businessCatalogShow', 'businessCover', 'businessCoverRemove'],
  ...['businessQuickreplies', 'businessQuickrepliesDelete'],
  ...['businessUpdateAddress', 'businessUpdateDesc', 'businessUpdateEmail', 'businessUpdateHours'],
  ...['communityAdd', 'communityCreate', 'communityRemove', 'contactAdd', 'contactRemove'],
  'deleteUserUsername',
  ...['groupAcceptinvite', 'groupAdminonly', 'groupApproval', 'groupCreate', 'groupDescription'],
  ...[
    'groupJoin',
    'groupLeave',
    'groupLock',
    'groupMemberadd',
    'groupName',
    'groupPhoto',
    'groupPhotoRemove',
  ],
  ...['groupRequestsApprove', 'groupRequestsReject', 'groupRevokeinvite', 'groupUpdate'],
  ...['labelChat', 'labelEdit', 'labelMessage'],
  ...['newsletterAdminAccept', 'newsletterAdminDemote', 'newsletterAdminRevoke', 'newsletterCreate'],
  ...['newsletterMute', 'newsletterPhoto', 'newsletterPhotoRemove', 'newsletterSubscribe'],
  ...['newsletterTransfer', 'newsletterUnfollow', 'newsletterUnmute'],
  ...['sessionLogout', 'unlabelChat', 'unlabelMessage'],
  ...['userAbout', 'userBlock', 'userDisappearingTimer', 'userName', 'userPresence', 'userPrivacy'],
  ...['userProfile', 'userProfileRemove', 'userUnblock', 'userUsername', 'userUsernamePin'],
]
const DESTRUCTIVE = [
  ...['businessCatalogDelete', 'businessCoverRemove', 'businessQuickrepliesDelete'],
  ...['chatDelete', 'chatDisappearingTimer', 'communityRemove', 'contactRemove'],
  ...[
    'deleteScheduleById',
    'deleteUserUsername',
    'groupLeave',
    'groupPhotoRemove',
    'groupRequestsReject',
    'groupRevokeinvite',
  ],
  ...['groupUpdate', 'labelEdit', 'messageDelete', 'messageEdit'],
  'messageEventCancel',
  ...['newsletterAdminDemote', 'newsletterAdminRevoke', 'newsletterPhotoRemove', 'newsletterTransfer'],
  'newsletterUnfollow',
  ...['sessionLogout', 'statusDelete', 'userBlock', 'userDisappearingTimer', 'userProfileRemove'],
  'userUsername',
]

/** With two parameters in its path: the first could lead to any other route. */
const shelves = definePlugin({
  name: 'shelves',
  version: '1.0.0',
  api: '^1.0.0',
  routes: (r) => [
    r.get('/shelves/:shelf/:item', {
      summary: 'An item of a shelf',
      access: 'token',
      handle: async ({ params }) => ({ Found: `${params['shelf']} ${params['item']}` }),
    }),
  ],
})

describe('the tools for assistants', () => {
  let world: World
  let session: LinkedSession
  let clients: Clients
  let client: Client
  let tools: Tool[]
  before(async () => {
    const config = { mcp: { scopes: ['read', 'send', 'manage'], confirmSends: 'never' } }
    const extra = [mcp, chatLog, cloudApi, schedule, shelves]
    ;({ world, session } = await openShop({ extra, config, allowPrivateHosts: ['127.0.0.1'] }))
    clients = clientsOf(() => world.gateway.url)
    client = await clients.overHttp(session.token)
    ;({ tools } = await client.listTools())
  })
  after(async () => {
    await clients.close()
    await world.stop()
  })

  const routes = (): Route[] => world.gateway.describe().plugins.flatMap((plugin) => [...plugin.routes])
  /** As the OpenAPI document names it. */
  const nameOf = ({ method, path }: Route): string => {
    const words = path.replace(/:(\w+)/g, 'by-$1').match(/[a-z0-9]+/gi) ?? []
    const all = method === 'POST' ? words : [method.toLowerCase(), ...words]
    return all.map((word, at) => (at === 0 ? word : word.charAt(0).toUpperCase() + word.slice(1))).join('')
  }

  it('are none that decide who gets messages, or that hand out what opens the account', () => {
    const names = tools.map(({ name }) => name)
    expect(names.length).to.be.greaterThan(80)
    const sensitive = routes().filter(({ spec }) => spec.isSensitive)
    expect(sensitive.length).to.be.greaterThan(60)
    for (const route of sensitive) expect(names).not.to.include(nameOf(route))
    const forbidden =
      /webhook|linkPage|linking|pair|qr|passkey|token|keys|settings|proxy|invitelink|cloud|init$/i
    expect(names.filter((name) => forbidden.test(name))).to.deep.equal([])
    const ofScope = new Map(routes().map((route) => [nameOf(route), route.spec.scope]))
    expect(names.filter((name) => ofScope.get(name) === 'manage').sort()).to.deep.equal(MANAGE)
  })

  it('are marked by the flags of their routes', () => {
    const byName = new Map(routes().map((route) => [nameOf(route), route]))
    for (const { name, annotations } of tools) {
      const { spec } = byName.get(name) ?? {}
      expect(annotations, name).to.deep.include({
        readOnlyHint: spec?.scope === 'read',
        destructiveHint: spec?.isDestructive,
        idempotentHint: spec?.isIdempotent,
      })
    }
    const destructive = tools.filter(({ annotations }) => annotations?.destructiveHint)
    expect(destructive.map(({ name }) => name).sort()).to.deep.equal(DESTRUCTIVE)
    const repeatable = tools.filter(({ annotations }) => annotations?.idempotentHint)
    expect(repeatable.map(({ name }) => name)).to.include.members([
      'chatPin',
      'userBlock',
      'getSessionStatus',
    ])
    expect(repeatable.map(({ name }) => name)).not.to.include('sendText')
  })

  it('show no credentials: neither tokens nor secrets of webhooks', async () => {
    const { data } = await session.post('/webhook', { WebhookURL: 'http://127.0.0.1:9/hook?key=url-secret' })
    const key = (await session.post('/keys', { Name: 'k', Scopes: ['read'] })).data.Key
    let called = 0
    for (const { name, inputSchema, annotations } of tools) {
      if (!annotations?.readOnlyHint || (inputSchema.required ?? []).length > 0) continue
      const { text } = await call(client, name)
      for (const secret of [session.token, data.Secret, key]) expect(text, name).not.to.include(secret)
      called += 1
    }
    expect(called).to.be.greaterThan(15)
  })

  it('reach no other route by their parameters', async () => {
    const shelf = (args: object) => call(client, 'getShelvesByShelfByItem', { ...args })
    expect((await shelf({ shelf: 'a/../b', item: '...' })).text).to.equal('{"Found":"a/../b ..."}')
    for (const args of [
      { shelf: '..', item: 'keys' },
      { shelf: '.', item: '..' },
      { shelf: 'a', item: '' },
      { item: 'keys' },
    ]) {
      const { isError, text } = await shelf(args)
      expect({ isError, text }, JSON.stringify(args)).to.deep.include({ isError: true })
      expect(text).to.include('FIELD_INVALID')
    }
    const encoded = await shelf({ shelf: '%2e%2e', item: 'keys' })
    expect(encoded.text).to.equal('{"Found":"%2e%2e keys"}')
  })
})
