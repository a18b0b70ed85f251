import type { GatewayServices, Log } from 'wamux/plugin'
import type { BotProfile, SimulatedNetwork } from '../types.ts'
import { createBot } from './bot.ts'

const BOTS: Readonly<Record<string, BotProfile>> = {
  '867051314767696': {
    persona: '867051314767696$760019659443059',
    name: 'Sandbox AI',
    description: 'Echoes each question',
    category: 'assistant',
    isDefault: true,
    prompts: [{ emoji: '👋', text: 'Say hello' }],
    commands: [{ name: 'echo', description: 'Says the same again' }],
  },
  '1807055946486528': {
    persona: '1807055946486528$2',
    name: 'Sandbox Chef',
    description: 'Repeats it with salt',
    category: 'food',
    isDefault: false,
    prompts: [],
    commands: [],
  },
}

/** Connects the network's bots. */
export async function startBots(
  wire: GatewayServices['wire'],
  network: SimulatedNetwork,
  log: Log,
): Promise<void> {
  for (const [id, profile] of Object.entries(BOTS))
    await createBot(wire, network, network.createBot(id, profile), profile, log)
}
