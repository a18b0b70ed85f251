import { reach } from './reach.ts'
import { type OpenApi, type Tool, toolsOf } from './tools.ts'

/** The tools of the gateway at that address, as its OpenAPI document has them now. */
export async function readTools(base: string): Promise<Tool[]> {
  const answer = await reach(new URL('/openapi.json', base))
  if (!answer.ok) throw new Error(`${base} has no /openapi.json: the plugin docs is off`)
  return toolsOf((await answer.json()) as OpenApi)
}

/** The same, read once: the routes of a process do not change. A failure is not kept. */
export function createToolList(base: () => string): () => Promise<Tool[]> {
  let tools: Promise<Tool[]> | undefined
  return () => {
    tools ??= readTools(base()).catch((error: unknown) => {
      tools = undefined
      throw error
    })
    return tools
  }
}
