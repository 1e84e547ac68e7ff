/** Makes small mistakes in the text of a module, such as a person could make. */
import ts from 'typescript-api'

export interface Mutant {
  readonly file: string
  readonly line: number
  /** The original text, and its replacement, on one line each. */
  readonly was: string
  readonly now: string
  /** Where the expression or the statement with the mistake is, and its text with the mistake. */
  readonly from: number
  readonly to: number
  readonly mistaken: string
  /** What the text is: a statement, the name of a property, or an expression, which may be the first one of a statement. */
  readonly place: 'statement' | 'name' | 'first' | 'expression'
}

const { SyntaxKind: Kind } = ts

const swapped: ReadonlyMap<ts.SyntaxKind, string> = new Map([
  [Kind.EqualsEqualsEqualsToken, '!=='],
  [Kind.ExclamationEqualsEqualsToken, '==='],
  [Kind.LessThanToken, '<='],
  [Kind.LessThanEqualsToken, '<'],
  [Kind.GreaterThanToken, '>='],
  [Kind.GreaterThanEqualsToken, '>'],
  [Kind.AmpersandAmpersandToken, '||'],
  [Kind.BarBarToken, '&&'],
  [Kind.PlusToken, '-'],
  [Kind.MinusToken, '+'],
  [Kind.AsteriskToken, '/']
])

/** All mutants of a module. Types, imports and messages for people are not mutated. */
export function mutantsOf (file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
  const mutants: Mutant[] = []

  /** Replaces `part` of an expression or statement. */
  function put (whole: ts.Node, part: ts.Node, now: string): void {
    const [from, to, partFrom, partTo] = [whole.getStart(), whole.getEnd(), part.getStart(), part.getEnd()]
    const { line } = source.getLineAndCharacterOfPosition(partFrom)
    mutants.push({
      file, line: line + 1, was: oneLine(text.slice(partFrom, partTo)), now: oneLine(now), from, to,
      mistaken: text.slice(from, partFrom) + now + text.slice(partTo, to), place: placeOf(whole)
    })
  }

  function visit (node: ts.Node): void {
    if (
      ts.isTypeNode(node) || ts.isImportDeclaration(node)
        || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || isMessage(node)
    ) return
    if (ts.isBinaryExpression(node)) {
      const other = swapped.get(node.operatorToken.kind)
      const joinsText = node.operatorToken.kind === Kind.PlusToken && [node.left, node.right]
        .some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
      if (other !== undefined && !joinsText) put(node, node.operatorToken, other)
      if (node.operatorToken.kind === Kind.QuestionQuestionToken) put(node, node, node.right.getText())
    }
    if (node.kind === Kind.TrueKeyword) put(node, node, 'false')
    if (node.kind === Kind.FalseKeyword) put(node, node, 'true')
    if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken) {
      put(node, node, node.operand.getText())
    }
    if (ts.isConditionalExpression(node)) put(node, node, `${node.condition.getText()} ? ${node.whenFalse.getText()} : ${node.whenTrue.getText()}`)
    if (ts.isIfStatement(node)) put(node.expression, node.expression, 'false')
    if (ts.isNumericLiteral(node) && !isSign(node)) put(node, node, String(another(Number(node.text))))
    if (ts.isThrowStatement(node) || (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression))) {
      put(node, node, ';')
    }
    ts.forEachChild(node, visit)
  }

  ts.forEachChild(source, visit)
  return mutants
}

/**
 * Returns the text with all these mutants in it, by number, each of which is in effect only while `active` holds its
 * number. So one bundle is enough for all of them.
 */
export function withMutants (text: string, mutants: ReadonlyMap<number, Mutant>, active: string): string {
  // The outer ones before the inner ones, those of the same place side by side.
  const ordered = [...mutants].sort(([, a], [, b]) => a.from - b.from || b.to - a.to || b.place.localeCompare(a.place))

  /** Returns the text from one place to another one. Takes the mutants in it from the list. */
  function rendered (from: number, to: number): string {
    let result = ''
    let at = from
    for (let next = ordered[0]; next !== undefined && next[1].from < to; next = ordered[0]) {
      const { place, ...outer } = next[1]
      const same: Array<readonly [number, Mutant]> = []
      while (ordered[0]?.[1].from === outer.from && ordered[0][1].to === outer.to && ordered[0][1].place === place) {
        same.push(ordered.shift() as [number, Mutant])
      }
      result += text.slice(at, outer.from)
      const original = rendered(outer.from, outer.to)
      at = outer.to
      if (place === 'statement') {
        result += `{ if (${same.map(([number]) => `$mutant !== ${number}`).join(' && ')}) { ${original} } }`
        continue
      }
      const choice = `(${same.map(([number, { mistaken }]) => `$mutant === ${number} ? (${mistaken}) : `).join('')}(${original}))`
      result += place === 'name' ? `[${choice}]` : place === 'first' ? `;${choice}` : choice
    }
    return result + text.slice(at, to)
  }

  return `import { readFileSync as $read } from 'node:fs'\nconst $mutant = Number($read(${JSON.stringify(active)}, 'utf8'))\n${rendered(0, text.length)}`
}

function placeOf (node: ts.Node): Mutant['place'] {
  if (ts.isStatement(node)) return 'statement'
  const { parent } = node
  if (
    (ts.isPropertyAssignment(parent) && parent.name === node)
      || (ts.isBindingElement(parent) && parent.propertyName === node)
  ) return 'name'
  const statement = ts.findAncestor(node, ts.isStatement)
  const isFirst = statement !== undefined
    && ts.isExpressionStatement(statement) && statement.getStart() === node.getStart()
    && (ts.isBlock(statement.parent) || ts.isSourceFile(statement.parent) || ts.isCaseClause(statement.parent))
  return isFirst ? 'first' : 'expression'
}

/** Whether a text is an error or log message. Tests should not depend on its words. */
function isMessage (node: ts.Node): boolean {
  return ts.isTemplateExpression(node) && ts.isNewExpression(node.parent)
}

/** Whether a number is one of the two results of a comparison, such as `a < b ? -1 : 1`: to a sort, only its sign counts. */
function isSign (node: ts.NumericLiteral): boolean {
  const branch = ts.isPrefixUnaryExpression(node.parent) ? node.parent : node
  const { parent } = branch
  return ts.isConditionalExpression(parent)
    && [parent.whenTrue, parent.whenFalse].map((side) => side.getText()).sort().join() === '-1,1'
}

/** A noticeably different number. A limit of thousands plus one would be noticed by no test, and need not be. */
const another = (number: number): number => number < 100 ? number + 1 : number * 2

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 70)
