import { expect } from 'chai'
import type { LinkedSession } from './sessions.ts'

/** A POST of a session, which must be answered with `status`; the session may be linked later. */
export function posting(sessionOf: () => LinkedSession) {
  return async (path: string, body: object, status = 200) => {
    const answer = await sessionOf().post(path, body)
    expect(answer, `${path}: ${answer.error}`).to.include({ status, success: status === 200 })
    return answer
  }
}
