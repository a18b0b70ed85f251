import { RECEIVED_SAMPLES, SAMPLES } from 'wamux/messaging'
import type { GatewayServices } from 'wamux/plugin'
import { type MediaKind, sealMedia } from '../phone/messages/media.ts'
import type { Seed } from '../types.ts'
import {
  ANA,
  BAND,
  BREAD,
  BRUNO,
  CAKE,
  CHOIR,
  FESTIVAL,
  MARKET,
  NEWS,
  OLD,
  ORDER,
  OWN_NEWS,
  SHOP,
  STARTS,
  STREET,
  TEAM,
  VILLAGE,
} from './names.ts'

/** All objects except the accounts and their messages. */
export function objectsOf(wire: GatewayServices['wire']): Seed {
  const picture = bytesOf(SAMPLES.picture)
  const product = { owner: SHOP.phone, currency: 'BRL' }
  return {
    pictures: [SHOP, ANA].map(({ phone }) => ({ owner: phone, data: picture })),
    groups: [
      { jid: TEAM, owner: SHOP.phone, subject: 'Team', members: [ANA.phone, BRUNO.phone] },
      { jid: STREET, owner: SHOP.phone, subject: 'Street', members: [ANA.phone], requests: [BRUNO.phone] },
      { jid: OLD, owner: SHOP.phone, subject: 'Summer fair', members: [ANA.phone] },
      { jid: VILLAGE, owner: SHOP.phone, subject: 'Village', isCommunity: true },
      {
        jid: BAND.jid,
        owner: ANA.phone,
        subject: BAND.name,
        invitations: [{ code: BAND.code, phone: SHOP.phone, expiration: STARTS }],
      },
      { ...CHOIR, owner: ANA.phone, subject: 'Choir', members: [BRUNO.phone] },
    ],
    newsletters: [
      { ...NEWS, owner: ANA.phone, name: 'City news', description: 'What is on this week' },
      { ...OWN_NEWS, owner: SHOP.phone, name: 'Shop news', description: 'What we bake' },
      { ...MARKET, owner: SHOP.phone, name: 'Market', description: 'Prices', admins: [ANA.phone] },
      { ...FESTIVAL, owner: ANA.phone, name: 'Festival', description: 'In June', invited: [SHOP.phone] },
    ],
    products: [
      { ...product, id: BREAD, name: 'Bread', description: 'Baked today', price: 1000 },
      { ...product, id: CAKE, name: 'Cake', description: 'With apples', price: 2500 },
    ],
    orders: [{ ...ORDER, buyer: ANA.phone, seller: SHOP.phone, items: [{ id: BREAD, quantity: 2 }] }],
    files: Object.entries(RECEIVED_SAMPLES).map(([kind, { file, path, mediaKey }]) => ({
      path,
      data: sealMedia(wire, kind as MediaKind, bytesOf(file), Buffer.from(mediaKey, 'base64')).data,
    })),
  }
}

function bytesOf(dataUrl: string): Buffer {
  return Buffer.from(dataUrl.slice(dataUrl.indexOf(',') + 1), 'base64')
}
