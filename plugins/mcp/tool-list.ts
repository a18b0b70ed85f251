import { reach } from './reach.ts'
import { type OpenApi, type Tool, toolsOf } from './tools.ts'

/** The tools of the gateway at that address, from its current OpenAPI document. */
export async function readTools(base: string): Promise<Tool[]> {
  const answer = await reach(new URL('/openapi.json', base))
  if (!answer.ok) throw new Error(`${base} has no /openapi.json: the plugin docs is off`)
  return toolsOf((await answer.json()) as OpenApi)
}

/** As `readTools`, but reads them once: the routes of a process do not change. A failure is not cached. */
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
