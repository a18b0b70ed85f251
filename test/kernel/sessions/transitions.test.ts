import { expect } from 'chai'
import {
  type ClientEvent,
  type ClientState,
  closedEvent,
  closeReason,
  type Effect,
  isEnded,
  shownState,
  TRANSITIONS,
  transition,
} from '../../../kernel/sessions/transitions.ts'
import type { CloseReason } from '../../../kernel/types/driver.ts'

type Step = readonly [event: ClientEvent, to: ClientState, effect?: Effect]

const UP: Step = ['open', 'open', 'announce']
const START: Step = ['start', 'connecting', 'open-link']
const STOP: Step = ['stop', 'stopped', 'end-link']
const DISCONNECT: Step = ['disconnect', 'stopped', 'end-link']

/** Each begins at `offline`; together they walk every row. */
const JOURNEYS: Readonly<Record<string, readonly Step[]>> = {
  'a first link by QR code': [
    START,
    ['qr', 'scan', 'announce'],
    ['qr', 'scan', 'announce'],
    ['paired', 'connecting', 'announce'],
    ['closed:restart', 'connecting', 'reconnect-now'],
    ['retry', 'connecting', 'open-link'],
    UP,
    STOP,
    ['closed:stopped', 'stopped'],
  ],
  'a first link by pairing code, with the QR code on show': [
    START,
    ['qr', 'scan', 'announce'],
    ['pairing-code', 'code'],
    ['qr', 'code', 'announce'],
    ['paired', 'connecting', 'announce'],
  ],
  'an account that asks for a passkey': [
    START,
    ['passkey', 'passkey', 'announce'],
    ['passkey-confirm', 'passkey-confirm', 'announce'],
    ['paired', 'connecting', 'announce'],
  ],
  'a passkey that fails': [
    START,
    ['passkey', 'passkey', 'announce'],
    ['passkey-failed', 'scan', 'announce'],
    ['qr', 'scan', 'announce'],
    ['closed:qr-ended', 'failed'],
    START,
  ],
  'a pairing code that is not entered': [
    START,
    ['qr', 'scan', 'announce'],
    ['pairing-code', 'code'],
    ['code-ended', 'scan'],
  ],
  'a lost link': [
    START,
    UP,
    ['closed:lost', 'waiting', 'reconnect-later'],
    ['retry', 'connecting', 'open-link'],
    UP,
  ],
  'a network that is down': [
    START,
    ['closed:unavailable', 'waiting', 'reconnect-later'],
    ['retry', 'connecting', 'open-link'],
    ['closed:unavailable', 'waiting', 'reconnect-later'],
    STOP,
  ],
  'a storage that is down': [START, UP, ['closed:storage', 'waiting', 'reconnect-soon']],
  'a companion removed on the phone': [START, UP, ['closed:logged-out', 'logged-out', 'unlink'], START],
  'an account that is banned for a while': [
    START,
    ['closed:temporary-ban', 'waiting', 'reconnect-later'],
    ['retry', 'connecting', 'open-link'],
    ['closed:rate-limited', 'waiting', 'reconnect-later'],
    STOP,
  ],
  'a banned account': [START, ['closed:banned', 'banned', 'unlink'], START],
  'a link that another process took over': [START, UP, ['closed:replaced', 'replaced'], START],
  'a version that the network refuses': [
    START,
    ['retried:outdated', 'connecting', 'open-link'],
    ['closed:outdated', 'failed'],
    START,
    ['retried:outdated', 'connecting', 'open-link'],
    UP,
  ],
  'a client that the network refuses': [START, ['closed:bad-user-agent', 'failed'], START],
  'a client that the network does not know': [START, ['closed:unknown-client', 'failed'], START],
  'a server with the wrong key': [START, ['closed:untrusted', 'failed'], ['stop', 'stopped failed']],
  'a companion removed on the phone, and a stop': [
    START,
    UP,
    ['closed:logged-out', 'logged-out', 'unlink'],
    ['stop', 'stopped logged-out'],
  ],
  'a banned account, and a stop': [START, ['closed:banned', 'banned', 'unlink'], ['stop', 'stopped banned']],
  'a link that another process took over, and a stop': [
    START,
    UP,
    ['closed:replaced', 'replaced'],
    ['stop', 'stopped replaced'],
  ],
  'a disconnect': [START, UP, DISCONNECT, ['closed:stopped', 'stopped']],
  'a disconnect of what has ended': [START, UP, ['closed:replaced', 'replaced'], DISCONNECT],
  'a disconnect during a logout': [
    START,
    UP,
    ['logout', 'logging-out'],
    ['disconnect', 'stopping', 'end-link'],
    ['closed:logged-out', 'stopped logged-out', 'unlink'],
  ],
  'a driver that stops on its own': [START, UP, ['closed:stopped', 'offline'], START],
  'a logout': [START, UP, ['logout', 'logging-out'], ['closed:logged-out', 'logged-out', 'unlink']],
  'a logout that fails': [
    START,
    UP,
    ['logout', 'logging-out'],
    ['logout', 'logging-out'],
    ['logout-failed', 'open'],
  ],
  'a stop during a logout': [
    START,
    UP,
    ['logout', 'logging-out'],
    ['stop', 'stopping', 'end-link'],
    ['closed:logged-out', 'stopped logged-out', 'unlink'],
  ],
  'a stop during a logout that fails': [
    START,
    UP,
    ['logout', 'logging-out'],
    ['stop', 'stopping', 'end-link'],
    ['logout-failed', 'stopped'],
    ['closed:stopped', 'stopped'],
  ],
}

const REASONS: readonly CloseReason[] = [
  ...([
    'restart',
    'logged-out',
    'replaced',
    'qr-ended',
    'banned',
    'temporary-ban',
    'rate-limited',
    'outdated',
  ] as const),
  'bad-user-agent',
  'unknown-client',
  ...(['lost', 'unavailable', 'storage', 'untrusted', 'stopped'] as const),
]
const STATES = [...new Set(TRANSITIONS.flatMap(({ from, to }) => [...from, to]))]
const EVENTS = [...new Set(TRANSITIONS.map(({ on }) => on))]
const rowsFrom = (state: ClientState) => TRANSITIONS.filter(({ from }) => from.includes(state))

describe('the states of a session', () => {
  for (const [title, steps] of Object.entries(JOURNEYS)) {
    it(`follow ${title}`, () => {
      let state: ClientState = 'offline'
      for (const [event, to, effect] of steps) {
        const row = transition(state, event)
        expect([row?.to, row?.effect], `${state} on ${event}`).to.deep.equal([to, effect])
        state = to
      }
    })
  }

  it('are walked row by row above', () => {
    const walked = Object.values(JOURNEYS).flatMap((steps) =>
      steps.map(([event], at) => transition(steps[at - 1]?.[1] ?? 'offline', event)),
    )
    const missed = TRANSITIONS.filter((row) => !walked.includes(row)).map(({ from, on }) => `${from}: ${on}`)
    expect(missed).to.deep.equal([])
  })

  it('have one row for an event at most, and ignore what has none', () => {
    for (const state of STATES) {
      for (const event of EVENTS) {
        const rows = rowsFrom(state).filter(({ on }) => on === event)
        expect(rows.length, `${state} on ${event}`).to.be.lessThan(2)
        expect(transition(state, event)).to.equal(rows[0])
      }
    }
  })

  it('lead on after a version that is refused only if the driver looks for another one', () => {
    expect(closedEvent('outdated', true)).to.equal('retried:outdated')
    expect(closedEvent('outdated')).to.equal('closed:outdated')
    expect(closedEvent('lost', true)).to.equal('closed:lost')
  })

  it('ignore no end of a link that is open or being opened', () => {
    const linked = STATES.filter((state) => rowsFrom(state).some(({ on }) => on.startsWith('closed:')))
    expect(linked).to.have.members([
      'connecting',
      'scan',
      'code',
      'passkey',
      'passkey-confirm',
      'open',
      'logging-out',
      'stopping',
      'stopped',
    ])
    for (const state of linked)
      for (const reason of REASONS)
        expect(transition(state, `closed:${closeReason(state, reason)}`), `${state}: ${reason}`).to.not.equal(
          undefined,
        )
  })

  it('delete the keys however a link ends during a logout', () => {
    for (const state of ['logging-out', 'stopping'] as const)
      for (const reason of REASONS)
        expect(transition(state, `closed:${closeReason(state, reason)}`)?.effect).to.equal('unlink')
  })

  it('end in "stopped", which nothing leaves', () => {
    const over = STATES.filter((state) => /^stop/.test(state))
    const running = STATES.filter((one) => !over.includes(one))
    for (const on of ['stop', 'disconnect'] as const)
      for (const state of running) expect(over, state).to.include(transition(state, on)?.to)
    for (const { to } of over.flatMap(rowsFrom)) expect(to).to.match(/^stopped/)
  })

  it('are as before after a stop where the link has ended for good, and offline after a disconnect', () => {
    const ended = STATES.filter((state) => isEnded(shownState(state)) && !/^stop/.test(state))
    expect(ended).to.have.members(['logged-out', 'replaced', 'banned', 'failed'])
    for (const state of ended) {
      expect(shownState(transition(state, 'stop')?.to ?? 'open')).to.equal(state)
      expect(shownState(transition(state, 'disconnect')?.to ?? 'open')).to.equal('offline')
    }
  })

  it('show no state that the interface does not have', () => {
    expect(STATES.map(shownState)).to.not.include.members(['logging-out', 'stopping', 'stopped'])
    expect(shownState('logging-out')).to.equal('open')
    expect(shownState('stopped')).to.equal('offline')
    expect(shownState('waiting')).to.equal('waiting')
  })
})
