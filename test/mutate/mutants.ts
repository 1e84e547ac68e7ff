/** Small faults that a person could make, one at a time, in the text of a module. */
import ts from 'typescript'

export interface Mutant {
  readonly file: string
  readonly line: number
  /** What was, and what is instead. */
  readonly was: string
  readonly now: string
  /** The module with the fault. */
  readonly text: string
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

/** All mutants of a module. Types, imports and texts that only a person reads are left alone. */
export function mutantsOf (file: string, text: string): Mutant[] {
  const source = ts.createSourceFile(file, text, ts.ScriptTarget.ESNext, true)
  const mutants: Mutant[] = []

  function put (node: ts.Node, now: string): void {
    const [from, to] = [node.getStart(), node.getEnd()]
    const was = text.slice(from, to)
    const { line } = source.getLineAndCharacterOfPosition(from)
    mutants.push({ file, line: line + 1, was: oneLine(was), now: oneLine(now), text: text.slice(0, from) + now + text.slice(to) })
  }

  function visit (node: ts.Node): void {
    if (ts.isTypeNode(node) || ts.isImportDeclaration(node) || ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) || isMessage(node)) return
    if (ts.isBinaryExpression(node)) {
      const other = swapped.get(node.operatorToken.kind)
      const joinsText = node.operatorToken.kind === Kind.PlusToken && [node.left, node.right].some((side) => ts.isStringLiteralLike(side) || ts.isTemplateExpression(side))
      if (other !== undefined && !joinsText) put(node.operatorToken, other)
      if (node.operatorToken.kind === Kind.QuestionQuestionToken) put(node, `(${node.right.getText()})`)
    }
    if (node.kind === Kind.TrueKeyword) put(node, 'false')
    if (node.kind === Kind.FalseKeyword) put(node, 'true')
    if (ts.isPrefixUnaryExpression(node) && node.operator === Kind.ExclamationToken) put(node, node.operand.getText())
    if (ts.isConditionalExpression(node)) put(node, `(${node.condition.getText()} ? ${node.whenFalse.getText()} : ${node.whenTrue.getText()})`)
    if (ts.isIfStatement(node)) put(node.expression, 'false')
    if (ts.isNumericLiteral(node)) put(node, String(another(Number(node.text))))
    if (ts.isThrowStatement(node)) put(node, ';')
    if (ts.isExpressionStatement(node) && ts.isCallExpression(node.expression)) put(node, ';')
    ts.forEachChild(node, visit)
  }

  ts.forEachChild(source, visit)
  return mutants
}

/** The words of an error or a log line: no test should hold on to them. */
function isMessage (node: ts.Node): boolean {
  return ts.isTemplateExpression(node) && ts.isNewExpression(node.parent)
}

/** One more of a limit of thousands is seen by nobody, and need not be. */
const another = (number: number): number => number < 100 ? number + 1 : number * 2

const oneLine = (text: string): string => text.replaceAll(/\s+/g, ' ').slice(0, 70)
