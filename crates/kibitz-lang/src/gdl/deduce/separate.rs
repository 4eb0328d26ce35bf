//! Relations that depend on the negation of another part of themselves are taken apart.
//!
//! ```text
//! (<= (phase two) (not (phase one)) ...)
//! ```
//! is sound: no atom depends on its own negation. But relations are derived as a whole, what is
//! negated before what asks for it. So each constant at such a place gets a relation of its own:
//! ```text
//! (<= (phase-two two) (not (phase-one one)) ...)
//! (<= (phase one) (phase-one one))
//! (<= (phase two) (phase-two two))
//! ```

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;

use super::program::{AtomPattern, Condition, Pattern, Program, RelationId, Rule};
use super::terms::TermId;

impl Program {
    /// Whether no relation depends on its own negation.
    pub fn is_stratified(&self) -> bool {
        self.unstratified().is_empty()
    }

    /// Takes relations apart until none depends on its own negation, or nothing more can be done.
    pub fn separate(&mut self) {
        loop {
            let suspects = self.unstratified();
            let Some((relation, place)) =
                suspects.iter().find_map(|relation| Some((*relation, self.constant_place(*relation)?)))
            else {
                break;
            };
            self.take_apart(relation, place);
        }
    }

    /// The relations of groups in which something is negated that belongs to the same group.
    pub fn unstratified(&self) -> Vec<RelationId> {
        let groups = self.groups(false);
        let mut group = vec![0; self.relations.len()];
        for (number, relations) in groups.iter().enumerate() {
            relations.iter().for_each(|relation| group[relation.index()] = number);
        }
        let mut bad = vec![false; groups.len()];
        for rule in &self.rules {
            let own = group[rule.head.relation.index()];
            let negates_own = |condition: &Condition| match condition {
                Condition::Negative(atom) => group[atom.relation.index()] == own,
                _ => false,
            };
            bad[own] |= rule.body.iter().any(negates_own);
        }
        let found = groups.into_iter().zip(bad).filter(|(_, bad)| *bad);
        found.flat_map(|(relations, _)| relations).collect()
    }

    /// An argument that is a constant, not always the same, in all heads of a relation.
    fn constant_place(&self, relation: RelationId) -> Option<usize> {
        let heads: Vec<&Pattern> = self
            .rules
            .iter()
            .filter(|rule| rule.head.relation == relation)
            .map(|rule| &rule.head.pattern)
            .collect();
        (0..self.relations[relation.index()].arity).find(|place| {
            let constants: Option<Vec<TermId>> =
                heads.iter().map(|head| self.constant(head, *place)).collect();
            constants.is_some_and(|constants| constants.iter().any(|other| *other != constants[0]))
        })
    }

    fn constant(&self, atom: &Pattern, place: usize) -> Option<TermId> {
        match atom {
            Pattern::Ground(id) => self.terms.args(*id).get(place).copied(),
            Pattern::Compound(_, args) => match args.get(place)? {
                Pattern::Ground(id) => Some(*id),
                _ => None,
            },
            Pattern::Variable(_) => None,
        }
    }

    fn take_apart(&mut self, relation: RelationId, place: usize) {
        let arity = self.relations[relation.index()].arity;
        let mut parts: BTreeMap<TermId, RelationId> = BTreeMap::new();
        for number in 0..self.rules.len() {
            let head = &self.rules[number].head;
            let Some(constant) = self.constant(&head.pattern, place).filter(|_| head.relation == relation)
            else {
                continue;
            };
            if let Entry::Vacant(part) = parts.entry(constant) {
                let name = self.symbols.fresh("apart");
                part.insert(self.relation(name, arity));
            }
        }
        for number in 0..self.rules.len() {
            let mut rule = self.rules[number].clone();
            self.move_atom(&mut rule.head, relation, place, &parts);
            for condition in &mut rule.body {
                if let Condition::Positive(atom) | Condition::Negative(atom) = condition {
                    self.move_atom(atom, relation, place, &parts);
                }
            }
            self.rules[number] = rule;
        }
        for (constant, part) in parts {
            let args: Vec<Pattern> = (0..arity)
                .map(
                    |at| if at == place { Pattern::Ground(constant) } else { Pattern::Variable(at as u16) },
                )
                .collect();
            let [head, body] = [relation, part].map(|relation| {
                let name = self.relations[relation.index()].name;
                AtomPattern { relation, pattern: self.compound(name, args.clone()) }
            });
            let body = vec![Condition::Positive(body)];
            self.rules.push(Rule { head, body, variables: arity as u16, silent: false, source: None });
        }
    }

    /// Makes an atom one of the part that has its constant.
    fn move_atom(
        &mut self,
        atom: &mut AtomPattern,
        relation: RelationId,
        place: usize,
        parts: &BTreeMap<TermId, RelationId>,
    ) {
        let constant = self.constant(&atom.pattern, place).filter(|_| atom.relation == relation);
        let Some(part) = constant.and_then(|constant| parts.get(&constant)).copied() else { return };
        let args = match &atom.pattern {
            Pattern::Compound(_, args) => args.clone(),
            Pattern::Ground(id) => self.terms.args(*id).iter().map(|arg| Pattern::Ground(*arg)).collect(),
            Pattern::Variable(_) => return,
        };
        let name = self.relations[part.index()].name;
        *atom = AtomPattern { relation: part, pattern: self.compound(name, args) };
    }
}
