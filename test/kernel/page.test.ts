import { expect } from 'chai'
import { createPage, PAGE_BYTES, pageOf } from '../../kernel/page.ts'

/** So many bytes of JSON, in characters of three bytes. */
const item = (bytes: number): string => '€'.repeat(Math.floor((bytes - 3) / 3))

describe('a page', () => {
  it('has items up to its number, and the cursor of the last one', () => {
    const page = createPage<string, number>(0, 2)
    expect([page.add(7, 'a'), page.add(5, 'b'), page.add(3, 'c')]).to.deep.equal([true, true, false])
    expect([page.items, page.cursor, page.isCut]).to.deep.equal([['a', 'b'], 5, true])
  })

  it('goes on after rows that are not shown, even if it has its number of items', () => {
    const page = createPage<string, number>(9, 1)
    expect([page.cursor, page.isCut]).to.deep.equal([9, false])
    for (const at of [8, 7]) page.add(at)
    expect(page.add(6, 'a')).to.equal(true)
    expect(page.add(5)).to.equal(true)
    expect([page.items, page.cursor, page.isCut]).to.deep.equal([['a'], 5, false])
  })

  it('has items up to its bytes, in UTF-8', () => {
    const { items, cursor, isCut } = pageOf([1, 2, 3, 4], () => item(PAGE_BYTES / 3))
    expect([items.length, cursor, isCut]).to.deep.equal([3, 3, true])
    expect(Buffer.byteLength(JSON.stringify(items))).to.be.at.most(PAGE_BYTES + 2)
  })

  it('has one item however large that is, and nothing after a refused one', () => {
    const sizes = [5 * PAGE_BYTES, 10]
    expect(pageOf(sizes, item).items).to.have.length(1)
    const page = createPage<string, number>(0)
    page.add(1, item(10))
    expect(page.add(2, item(PAGE_BYTES))).to.equal(false)
    expect(page.add(3, item(10)), 'the order is kept').to.equal(false)
    expect(page.add(4)).to.equal(false)
    expect(page.cursor).to.equal(1)
  })

  it('of no rows is empty, with the cursor that it began with', () => {
    expect(pageOf([], item)).to.deep.include({ items: [], cursor: undefined, isCut: false })
  })
})
