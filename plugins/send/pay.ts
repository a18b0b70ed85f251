import { randomInt } from 'node:crypto'
import { type FlowButton, LENGTHS } from 'wamux/messaging'
import { gatewayError, type LiveSession, type Static, T } from 'wamux/plugin'

const KEY_TYPES = ['CPF', 'CNPJ', 'PHONE', 'EMAIL', 'EVP'] as const

/** EVP, as some clients call it. */
const RANDOM = 'random'

/** The recipient of the payment. */
export const pixFields = {
  PixKey: T.String({ minLength: 1, maxLength: LENGTHS.line, format: 'id', description: 'The PIX key' }),
  PixType: T.Optional(
    T.String({
      maxLength: LENGTHS.id,
      words: [...KEY_TYPES, RANDOM],
      description: 'CPF, CNPJ, PHONE, EMAIL or EVP (a random key; default)',
      examples: ['EVP'],
    }),
  ),
  MerchantName: T.Optional(
    T.String({ maxLength: LENGTHS.line, description: 'Name of the recipient; your own name when absent' }),
  ),
}

/** In fractions of the currency unit, so that sums stay exact. */
const MAX_MONEY = 10 ** 12
const MAX_QUANTITY = 10 ** 6
const money = { minimum: 0, maximum: MAX_MONEY }
const Integer = (description: string) => T.Optional(T.Integer({ ...money, description }))

const Item = T.Object({
  Name: T.String({ minLength: 1, maxLength: LENGTHS.line }),
  Quantity: T.Optional(T.Integer({ minimum: 0, maximum: MAX_QUANTITY, description: '1 when absent or 0' })),
  Amount: T.Union(
    [
      T.Integer(money),
      T.Object({ value: T.Integer(money), offset: T.Integer({ minimum: 1, maximum: MAX_MONEY }) }),
    ],
    { description: 'Unit price, in 1/TotalOffset of the currency, or with its own offset' },
  ),
  SaleAmount: Integer('Reduced unit price'),
  RetailerId: T.Optional(T.String({ maxLength: LENGTHS.id, format: 'id', aliases: ['retailer_id'] })),
  ProductId: T.Optional(T.String({ maxLength: LENGTHS.id, format: 'id', aliases: ['product_id'] })),
})

const MAX_ITEMS = 1000

/** The order to pay. */
export const orderFields = {
  Currency: T.Optional(T.String({ maxLength: 3, pattern: '^[A-Za-z]{3}$', description: 'Default BRL' })),
  ReferenceID: T.Optional(
    T.String({ maxLength: LENGTHS.id, format: 'id', description: 'Id of the order; random when absent' }),
  ),
  TotalValue: Integer('In 1/TotalOffset of the currency; the sum of the items when absent or 0'),
  TotalOffset: Integer('100, for cents, when absent or 0'),
  Items: T.Optional(T.Array(Item, { maxItems: MAX_ITEMS })),
}

interface Pix {
  PixKey: string
  PixType?: string
  MerchantName?: string
}

interface Order extends Pix {
  Title?: string
  Body: string
  Currency?: string
  ReferenceID?: string
  TotalValue?: number
  TotalOffset?: number
  Items?: Static<typeof Item>[]
}

/** A PIX key without an amount. */
export function toPixButton(session: LiveSession, pix: Pix): FlowButton {
  const none = { value: 0, offset: 100 }
  const items = [{ name: '', amount: none, quantity: 0, sale_amount: none }]
  return {
    name: 'payment_info',
    params: {
      currency: 'BRL',
      total_amount: none,
      reference_id: newReference(),
      type: 'physical-goods',
      order: { status: 'pending', subtotal: none, order_type: 'ORDER', items },
      payment_settings: [toSetting(session, pix)],
      share_payment_status: false,
    },
  }
}

/** An order to review and pay. A difference between total and items is shown as shipping or discount. */
export function toReviewButton(session: LiveSession, order: Order): FlowButton {
  const { TotalValue, Items = [], Title, Body } = order
  // Typed clients send 0 for omitted fields.
  const offset = order.TotalOffset || 100
  const money = (value: number) => ({ value, offset })
  const priced = Items.map((item) => ({
    ...item,
    quantity: item.Quantity || 1,
    price: priceOf(item, offset),
  }))
  const sum = priced.reduce(
    (all, { price, SaleAmount, quantity }) => all + (SaleAmount ?? price) * quantity,
    0,
  )
  const total = TotalValue || sum
  const subtotal = priced.length > 0 ? sum : total
  const only = { name: Title || Body, amount: money(total), quantity: 1 }
  const items = priced.map(({ Name, price, SaleAmount, quantity, RetailerId, ProductId }) => ({
    name: Name,
    amount: money(price),
    quantity,
    ...(SaleAmount === undefined ? {} : { sale_amount: money(SaleAmount) }),
    ...(RetailerId ? { retailer_id: RetailerId } : {}),
    ...(ProductId ? { product_id: ProductId } : {}),
  }))
  return {
    name: 'review_and_pay',
    params: {
      currency: order.Currency?.toUpperCase() ?? 'BRL',
      total_amount: money(total),
      reference_id: order.ReferenceID || newReference(),
      type: 'physical-goods',
      payment_configuration: 'merchant_categorization_code',
      order: {
        status: 'pending',
        order_type: 'ORDER',
        subtotal: money(subtotal),
        tax: money(0),
        shipping: money(Math.max(0, total - subtotal)),
        discount: money(Math.max(0, subtotal - total)),
        items: items.length > 0 ? items : [only],
      },
      payment_settings: [toSetting(session, order), { type: 'cards', cards: { enabled: false } }],
    },
  }
}

/** The price in 1/offset of the currency, converted from the item's own offset. */
function priceOf({ Amount }: Static<typeof Item>, offset: number): number {
  return typeof Amount === 'number' ? Amount : Math.round((Amount.value * offset) / Amount.offset)
}

function toSetting(session: LiveSession, { PixKey, PixType, MerchantName }: Pix) {
  const merchant_name = MerchantName || session.socket.wa.user?.name || session.name
  return {
    type: 'pix_static_code',
    pix_static_code: { merchant_name, key: PixKey, key_type: toKeyType(PixType) },
  }
}

function toKeyType(given: string | undefined): string {
  const type = KEY_TYPES.find((name) => name === (given && given !== RANDOM ? given : 'EVP'))
  if (!type) throw gatewayError('FIELD_INVALID', ['PixType', `must be one of ${KEY_TYPES.join(', ')}`])
  return type
}

const REFERENCE = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789'

function newReference(): string {
  return Array.from({ length: 11 }, () => REFERENCE[randomInt(REFERENCE.length)]).join('')
}
