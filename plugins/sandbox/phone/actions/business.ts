import { gatewayError } from 'wamux/plugin'
import { child, el, seconds, text, textNode } from '../../stanza.ts'
import { type Action, type ActionParts, requireField } from './action.ts'

type Fields = Record<string, unknown>

interface ProfileData {
  address: string
  description: string
  email: string
  websites: string[]
  /** Category ids. */
  categories: string[]
  /** Days with their wire attributes. */
  hours: { timezone: string; days: Record<string, string>[] }
}

const SERVER = 's.whatsapp.net'

/** Updates the business profile: `{ Data: { address, description, email, websites, categories, hours } }`. */
export async function setBusiness({ uplink }: ActionParts, { Data = {} }: Action): Promise<Fields> {
  const { websites = [], categories = [], hours, ...simple } = Data as Partial<ProfileData>
  const days = hours?.days.map((day) => el('business_hours_config', day))
  const content = [
    ...Object.entries(simple).map(([tag, value]) => textNode(tag, value)),
    ...websites.map((website) => textNode('website', website)),
    el(
      'categories',
      {},
      categories.map((id) => el('category', { id })),
    ),
    ...(days ? [el('business_hours', { timezone: hours?.timezone }, days)] : []),
  ]
  const change = el('business_profile', { v: '3', mutation_type: 'delta' }, content)
  await uplink.query(el('iq', { xmlns: 'w:biz', type: 'set', to: SERVER }, [change]))
  return {}
}

/**
 * Lets others than the business's own apps read and store its chats: `{ Data: { actors: 'self' | 'bsp' | 'capi', storage:
 * 'onPremise' | 'facebook' } }`.
 */
export function hostBusiness({ network, account }: ActionParts, { Data = {} }: Action): Fields {
  const actors = ACTORS.find((one) => one === Data['actors'])
  const storage = STORAGE.find((one) => one === Data['storage'])
  if (!account.business || !actors || !storage)
    throw gatewayError('FIELD_INVALID', ['Data', 'actors and storage of a business account'])
  network.setPrivacyMode(account, { actors, storage, since: seconds() })
  return {}
}

const ACTORS = ['self', 'bsp', 'capi'] as const
const STORAGE = ['onPremise', 'facebook'] as const

/** Adds a product without pictures: `{ Data: { name, price?, currency?, description?, is_hidden? } }`. */
export async function addProduct({ uplink }: ActionParts, { Data = {} }: Action): Promise<Fields> {
  const { is_hidden: isHidden = false, ...fields } = Data
  const product = el(
    'product',
    { is_hidden: String(isHidden) },
    Object.entries(fields).map(([tag, value]) => textNode(tag, value)),
  )
  const add = el('product_catalog_add', { v: '1' }, [product])
  const reply = await uplink.query(el('iq', { xmlns: 'w:biz:catalog', type: 'set', to: SERVER }, [add]))
  return { Id: text(child(child(child(reply, 'product_catalog_add'), 'product'), 'id')) }
}

/** Groups own products under a name: `{ Text, Data: { products: [id] } }`. */
export async function addCollection({ uplink }: ActionParts, action: Action): Promise<Fields> {
  const products = (action.Data?.['products'] as string[] | undefined) ?? []
  const collection = el('collection', {}, [
    textNode('name', requireField(action, 'Text')),
    ...products.map((id) => el('product', {}, [textNode('id', id)])),
  ])
  const create = el('collections_create', {}, [collection])
  const reply = await uplink.query(el('iq', { xmlns: 'w:biz:catalog', type: 'set', to: SERVER }, [create]))
  return { Id: text(child(child(child(reply, 'collections_create'), 'collection'), 'id')) }
}

/** Places an order on the network and sends its token: `{ Chat, Text, Data: { items: [{ id, quantity }] } }`. */
export async function placeOrder(parts: ActionParts, action: Action): Promise<Fields> {
  const { uplink, network, wire, chatOf, sendMessage } = parts
  const seller = network.account(requireField(action, 'Chat'))
  const items = action.Data?.['items'] as { id: string; quantity: number }[] | undefined
  if (!seller || !items) throw gatewayError('FIELD_MISSING', [seller ? 'Data.items' : 'Chat'])
  const products = items.map(({ id, quantity }) =>
    el('product', {}, [textNode('id', id), textNode('quantity', quantity)]),
  )
  const create = el('order', { op: 'create', biz_jid: seller.jid }, products)
  const reply = await uplink.query(el('iq', { xmlns: 'fb:thrift_iq', type: 'set', to: SERVER }, [create]))
  const order = child(reply, 'order')
  const price = child(order, 'price')
  const { OrderStatus, OrderSurface } = wire.proto.Message.OrderMessage
  const orderMessage = {
    orderId: order?.attrs['id'],
    token: text(child(order, 'token')),
    itemCount: items.length,
    status: OrderStatus.INQUIRY,
    surface: OrderSurface.CATALOG,
    message: action.Text ?? '',
    orderTitle: seller.name,
    sellerJid: seller.jid,
    ...(price
      ? {
          totalAmount1000: Number(text(child(price, 'total'))),
          totalCurrencyCode: text(child(price, 'currency')),
        }
      : {}),
  }
  const id = await sendMessage(chatOf(seller.jid), wire.proto.Message.fromObject({ orderMessage }))
  return { Id: id, OrderId: orderMessage.orderId }
}
