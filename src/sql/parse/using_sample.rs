//! USING SAMPLE, which `sqlparser` does not read: the clause is taken out of the tokens of a statement.

use sqlparser::keywords::Keyword;
use sqlparser::tokenizer::{Location, Span, Token, TokenWithSpan};

use super::tokens::is_keyword;
use crate::fold::{SAMPLE_SEED, SampleSize};
use crate::sql::messages::Wrong;

/// The sample that a SELECT takes of the rows of FROM, before WHERE.
#[derive(Clone, Copy, Debug)]
pub(in crate::sql) struct UsingSample {
    pub(in crate::sql) size: SampleSize,
    pub(in crate::sql) seed: u64,
    pub(in crate::sql) span: Span,
}

/// The samples of a statement. Each has the place of its SELECT, or of its FROM if it has no SELECT.
pub(in crate::sql) type Samples = Vec<(Location, UsingSample)>;

/// Takes the clauses out of the tokens of a statement.
pub(in crate::sql) fn take(
    tokens: Vec<TokenWithSpan>,
) -> Result<(Vec<TokenWithSpan>, Samples), Wrong> {
    if let Some(token) = tokens
        .iter()
        .find(|token| is_keyword(&token.token, Keyword::TABLESAMPLE))
    {
        let instead = "write USING SAMPLE after WHERE, GROUP BY and HAVING";
        return Err(Wrong::unsupported("TABLESAMPLE", instead, token.span));
    }
    let is_sample = |token: &TokenWithSpan| is_keyword(&token.token, Keyword::SAMPLE);
    if !tokens.iter().any(is_sample) {
        return Ok((tokens, Samples::new()));
    }
    let (mut rest, mut samples) = (Vec::with_capacity(tokens.len()), Samples::new());
    // The SELECT of each query that encloses a token, the innermost last.
    let mut selects: Vec<Option<&TokenWithSpan>> = vec![None];
    // Whether ORDER BY or LIMIT of that query have come.
    let mut is_ordered = vec![false];
    let mut clause = Clause {
        rest: &tokens,
        span: Span::empty(),
    };
    while let [token, next @ ..] = clause.rest {
        if let Some(&Some(select)) = selects.last()
            && let Some(sample) = clause.using_sample()?
        {
            if is_ordered.last() == Some(&true) {
                let what = "a sample after ORDER BY or LIMIT";
                let instead = "write USING SAMPLE before them, or sample a query in FROM";
                return Err(Wrong::unsupported(what, instead, sample.span));
            }
            samples.push((select.span.start, sample));
            continue;
        }
        let word = match &token.token {
            Token::LParen => {
                selects.push(None);
                is_ordered.push(false);
                Keyword::NoKeyword
            }
            Token::RParen => {
                selects.pop();
                is_ordered.pop();
                Keyword::NoKeyword
            }
            Token::Word(word) if word.quote_style.is_none() => word.keyword,
            _ => Keyword::NoKeyword,
        };
        if let (Some(select), Some(is_ordered)) = (selects.last_mut(), is_ordered.last_mut()) {
            match word {
                Keyword::ORDER | Keyword::LIMIT | Keyword::OFFSET => *is_ordered = true,
                Keyword::SELECT => *select = Some(token),
                Keyword::FROM => *select = select.or(Some(token)),
                Keyword::UNION | Keyword::INTERSECT | Keyword::EXCEPT => *select = None,
                _ => {}
            }
        }
        rest.push(token.clone());
        clause.rest = next;
    }
    Ok((rest, samples))
}

/// Reads a clause.
struct Clause<'t> {
    /// The tokens that are not read.
    rest: &'t [TokenWithSpan],
    /// The place of the last one that was read.
    span: Span,
}

impl<'t> Clause<'t> {
    /// Reads `USING SAMPLE 10 PERCENT (bernoulli, 7)` or `USING SAMPLE reservoir(10 ROWS) REPEATABLE (7)`, if it stands here.
    fn using_sample(&mut self) -> Result<Option<UsingSample>, Wrong> {
        let before = self.rest;
        if !(self.keyword(Keyword::USING) && self.keyword(Keyword::SAMPLE)) {
            self.rest = before;
            return Ok(None);
        }
        let span = self.span;
        let (size, method, seed);
        if let Some(Token::Number(..)) = self.peek() {
            size = self.size()?;
            (method, seed) = if self.is(&Token::LParen) {
                let method = self.word();
                let seed = self.is(&Token::Comma).then(|| self.whole());
                self.expect(&Token::RParen)?;
                (method, seed.transpose()?)
            } else {
                (None, None)
            };
        } else {
            method = self.word();
            self.expect(&Token::LParen)?;
            size = self.size()?;
            self.expect(&Token::RParen)?;
            seed = if self.word_is("repeatable") {
                self.expect(&Token::LParen)?;
                let seed = self.whole()?;
                self.expect(&Token::RParen)?;
                Some(seed)
            } else {
                None
            };
        }
        let (methods, unit): (&[&str], _) = match size {
            SampleSize::Rows(_) => (&["reservoir"], "ROWS"),
            SampleSize::Share(_) => (&["bernoulli", "system"], "PERCENT"),
        };
        if let Some(method) = method.filter(|method| !methods.contains(&&**method)) {
            let what = format!("a sample of {unit} by {method}");
            let instead = "write 10 ROWS (reservoir), or 10 PERCENT (bernoulli)";
            return Err(Wrong::unsupported(&what, instead, span));
        }
        self.end()?;
        Ok(Some(UsingSample {
            size,
            seed: seed.unwrap_or(SAMPLE_SEED),
            span,
        }))
    }

    /// Refuses clauses of a SELECT after its sample.
    fn end(&mut self) -> Result<(), Wrong> {
        let ends = match self.peek() {
            Some(Token::Word(word)) => matches!(
                word.keyword,
                Keyword::ORDER
                    | Keyword::LIMIT
                    | Keyword::OFFSET
                    | Keyword::UNION
                    | Keyword::INTERSECT
                    | Keyword::EXCEPT
            ),
            next => matches!(next, None | Some(Token::RParen | Token::SemiColon)),
        };
        if ends {
            return Ok(());
        }
        let what = format!("'{}' stands after a sample", self.rest[0].token);
        let advice = "write USING SAMPLE after WHERE, GROUP BY and HAVING";
        Err(Wrong::other(what, advice, self.rest[0].span))
    }

    /// Reads `10`, `10 ROWS`, `10 PERCENT` or `10%`.
    fn size(&mut self) -> Result<SampleSize, Wrong> {
        let wrong = "a sample has a whole number of ROWS, or 0 to 100 PERCENT";
        let Some(Token::Number(number, _)) = self.next() else {
            return Err(self.wrong(wrong));
        };
        let size = if self.is(&Token::Mod) || self.keyword(Keyword::PERCENT) {
            let percent = number.parse().ok();
            percent.and_then(SampleSize::of_percent)
        } else {
            let _ = self.keyword(Keyword::ROWS);
            number.parse().ok().map(SampleSize::Rows)
        };
        size.ok_or_else(|| self.wrong(wrong))
    }

    fn whole(&mut self) -> Result<u64, Wrong> {
        let number = match self.next() {
            Some(Token::Number(number, _)) => number.parse().ok(),
            _ => None,
        };
        number.ok_or_else(|| self.wrong("the seed of a sample is a whole number"))
    }

    fn wrong(&self, what: &str) -> Wrong {
        Wrong::other(
            what,
            "write USING SAMPLE 10 PERCENT (bernoulli), or USING SAMPLE reservoir(100 ROWS) REPEATABLE (7)",
            self.span,
        )
    }

    /// Returns the next token, and skips blanks before it.
    fn peek(&mut self) -> Option<&'t Token> {
        let is_blank = |token: &TokenWithSpan| matches!(token.token, Token::Whitespace(_));
        let blanks = self.rest.iter().take_while(|token| is_blank(token)).count();
        self.rest = &self.rest[blanks..];
        self.rest.first().map(|token| &token.token)
    }

    fn next(&mut self) -> Option<&'t Token> {
        let token = self.peek()?;
        self.span = self.rest[0].span;
        self.rest = &self.rest[1..];
        Some(token)
    }

    /// Reads a token, if it is the next one.
    fn is(&mut self, token: &Token) -> bool {
        let is_next = self.peek() == Some(token);
        if is_next {
            self.next();
        }
        is_next
    }

    fn keyword(&mut self, keyword: Keyword) -> bool {
        let is_next = self.peek().is_some_and(|next| is_keyword(next, keyword));
        if is_next {
            self.next();
        }
        is_next
    }

    /// Reads a word, in small letters.
    fn word(&mut self) -> Option<String> {
        let Some(Token::Word(word)) = self.peek() else {
            return None;
        };
        self.next();
        Some(word.value.to_ascii_lowercase())
    }

    fn word_is(&mut self, name: &str) -> bool {
        let is_it =
            matches!(self.peek(), Some(Token::Word(word)) if word.value.eq_ignore_ascii_case(name));
        if is_it {
            self.next();
        }
        is_it
    }

    fn expect(&mut self, token: &Token) -> Result<(), Wrong> {
        if self.is(token) {
            return Ok(());
        }
        let next = self.rest.first();
        self.span = next.map_or(self.span, |next| next.span);
        Err(self.wrong(&format!("a sample lacks '{token}'")))
    }
}
