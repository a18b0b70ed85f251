import { child, children, node } from 'wamux/messaging'
import { type LiveSession, type Static, T } from 'wamux/plugin'
import { query } from './query.ts'
import { amount, text, words } from './stanza.ts'

const Words = T.String()
const Amount = T.Union([T.Integer(), T.Null()], { description: 'Thousandths of the currency' })

export const Order = T.Object(
  {
    Price: T.Object({ Total: Amount, Currency: Words }),
    Products: T.Array(
      T.Object({
        ID: Words,
        Name: Words,
        ImageURL: Words,
        Price: Amount,
        Currency: Words,
        Quantity: T.Integer(),
      }),
    ),
  },
  { title: 'Order' },
)

export async function readOrder(
  session: LiveSession,
  id: string,
  token: string,
): Promise<Static<typeof Order>> {
  const reply = await query(session, {
    xmlns: 'fb:thrift_iq',
    type: 'get',
    attrs: { smax_id: '5' },
    content: node('order', { op: 'get', id }, [
      node('image_dimensions', {}, [words('width', '100'), words('height', '100')]),
      words('token', token),
    ]),
    verb: 'read the order',
    item: `Order ${id}`,
  })
  const order = child(reply, 'order')
  const price = child(order, 'price')
  return {
    Price: { Total: amount(price, 'total') ?? null, Currency: text(price, 'currency') },
    Products: children(order, 'product').map((product) => ({
      ID: text(product, 'id'),
      Name: text(product, 'name'),
      ImageURL: text(child(product, 'image'), 'url'),
      Price: amount(product, 'price') ?? null,
      Currency: text(product, 'currency'),
      Quantity: amount(product, 'quantity') ?? 0,
    })),
  }
}
