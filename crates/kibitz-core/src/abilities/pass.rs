//! How a wrapper of a game passes on what that offers, so that neither can drift from the other.

/// Passes abilities of one game on to another whose states hold the first one's: which model is asked, and about which of
/// its states. Which of them the wrapper has is still said in its [`Game::abilities`].
///
/// `forward!(Wrapper, Place, |wrapper, place| (wrapper.model, &place.state): StateHash, Svg);`
#[macro_export]
macro_rules! forward {
    ($Wrapper:ty, $Place:ty, |$wrapper:ident, $place:ident| ($model:expr, $inner:expr): $($Ability:ident),* $(,)?) => {
        $($crate::through!($Ability, [] $Wrapper, $Place, |$wrapper, $place| (Some(&*$model), $inner));)*
    };
}

/// Passes methods of [`Game`] itself on to the game that a wrapper is of.
///
/// `pass_on!(|wrapper, place: &Place| (wrapper.model, &place.state): player_name, chance, draw);`
#[macro_export]
macro_rules! pass_on {
    (|$w:ident, $p:ident: &$P:ty| ($to:expr, $inner:expr): $($method:ident),*) => {
        $($crate::pass_on!(@$method $w, $p, $P, $to, $inner);)*
    };
    (@player_name $w:ident, $p:ident, $P:ty, $to:expr, $inner:expr) => {
        fn player_name(&self, player: usize) -> String {
            let $w = self;
            $to.player_name(player)
        }
    };
    (@action_name $w:ident, $p:ident, $P:ty, $to:expr, $inner:expr) => {
        fn action_name(&self, $p: &$P, player: Option<usize>, action: $crate::Action) -> String {
            let $w = self;
            $to.action_name($inner, player, action)
        }
    };
    (@chance $w:ident, $p:ident, $P:ty, $to:expr, $inner:expr) => {
        fn chance(&self, $p: &$P, outcomes: &mut Vec<($crate::Action, f64)>) {
            let $w = self;
            $to.chance($inner, outcomes);
        }
    };
    (@draw $w:ident, $p:ident, $P:ty, $to:expr, $inner:expr) => {
        fn draw(&self, $p: &$P, rng: &mut $crate::Rng) -> $crate::Action {
            let $w = self;
            $to.draw($inner, rng)
        }
    };
}

/// The abilities of a wrapper that are there where the game that it is of has them.
#[macro_export]
macro_rules! as_far_as {
    ($has:expr, $self:ident: $($ability:ident),*) => {{
        let has: $crate::abilities::Capabilities = $has;
        $crate::abilities::Abilities {
            $($ability: has.$ability.then_some($self),)*
            ..$crate::abilities::Abilities::default()
        }
    }};
}

/// One ability of one game through another's; see [`forward!`]. Each line is a method: what it is asked `of` a state or of the
/// whole game, and what it answers where the ability is not there.
#[doc(hidden)]
#[macro_export]
macro_rules! through {
    (StateHash, $($to:tt)*) => { $crate::pass!(StateHash, $($to)*; of hash() -> u64 = 0;); };
    (Evaluate, $($to:tt)*) => { $crate::pass!(Evaluate, $($to)*;
        of evaluate(values: &mut [f64]) = values.fill(0.0);
        of afterstate_values(player: usize, actions: &[$crate::Action], values: &mut Vec<f64>) -> bool = false;
    ); };
    (ActionHeuristic, $($to:tt)*) => { $crate::pass!(ActionHeuristic, $($to)*;
        of action_values(player: usize, actions: &[$crate::Action], values: &mut Vec<f64>) -> bool = false;
        whole heuristics() -> Vec<Result<String, String>> = Vec::new();
    ); };
    (Preferred, $($to:tt)*) => { $crate::pass!(Preferred, $($to)*;
        of preferred(player: usize, actions: &mut Vec<$crate::Action>) = ();
    ); };
    (ShownChance, $($to:tt)*) => { $crate::pass!(ShownChance, $($to)*;
        of shown(told: $crate::Observation) -> Option<$crate::Action> = None;
    ); };
    (ViewKey, $($to:tt)*) => { $crate::pass!(ViewKey, $($to)*; of view_key(player: usize) -> u64 = 0;); };
    (Solver, $($to:tt)*) => { $crate::pass!(Solver, $($to)*;
        of judge(effort: u32, context: &mut $crate::playout::Context, returns: &mut [f64]) -> Option<u64> = None;
        of unknown() -> u32 = 0;
    ); };
    (Prove, $($to:tt)*) => { $crate::pass!(Prove, $($to)*;
        of prove(states: u64, pause: &mut dyn FnMut() -> bool) -> Option<$crate::solve::Proof> = None;
    ); };
    (Atoms, $($to:tt)*) => { $crate::pass!(Atoms, $($to)*;
        whole atom_count() -> u32 = 0;
        of atoms(atoms: &mut Vec<u32>) = ();
        whole own_atoms() -> std::ops::Range<u32> = 0..0;
        of place() -> Option<u64> = None;
    ); };
    (Facts, $($to:tt)*) => { $crate::pass!(Facts, $($to)*; of facts() -> Vec<String> = Vec::new();); };
    (ActionKeys, $($to:tt)*) => { $crate::pass!(ActionKeys, $($to)*;
        of action_key(player: usize, action: $crate::Action) -> u64 = u64::from(action.0);
    ); };
    (Factors, $($to:tt)*) => { $crate::pass!(Factors, $($to)*;
        of factors(player: usize, action: $crate::Action, parts: &mut Vec<u32>) = ();
    ); };
    (EndTurn, $($to:tt)*) => { $crate::pass!(EndTurn, $($to)*;
        of end_turn(player: usize) -> Option<$crate::Action> = None;
    ); };
    (Features, $($to:tt)*) => { $crate::pass!(Features, $($to)*;
        whole feature_names() -> Vec<String> = Vec::new();
        whole feature_weights() -> Vec<f64> = Vec::new();
        of features(player: usize, values: &mut Vec<f64>) = ();
    ); };
    (Roles, $($to:tt)*) => { $crate::pass!(Roles, $($to)*;
        whole roles() -> Vec<(String, Option<usize>)> = Vec::new();
        of role_moves(role: usize) -> Vec<String> = Vec::new();
        of within_turn() -> bool = false;
        of percepts(player: usize) -> Vec<String> = Vec::new();
    ); };
    (Faults, $($to:tt)*) => { $crate::pass!(Faults, $($to)*;
        whole faults() -> u64 = 0;
        whole fault() -> Option<String> = None;
        whole flaw() -> Option<String> = None;
    ); };
    (Svg, [$($g:tt)*] $W:ty, $P:ty, |$w:ident, $p:ident| ($to:expr, $inner:expr)) => {
        $crate::pass!(Svg, [$($g)*] $W, $P, |$w, $p| ($to, $inner);
            of svg(viewer: Option<usize>) -> String = String::new();
            {
                fn belief_svg(&self, states: &[(&$P, f64)], viewer: usize) -> Option<String> {
                    let $w = self;
                    let to = $to;
                    let states: Vec<_> = states.iter().map(|($p, likely)| ($inner, *likely)).collect();
                    to?.belief_svg(&states, viewer)
                }
            }
        );
    };
    (Batch, [$($g:tt)*] $W:ty, $P:ty, |$w:ident, $p:ident| ($to:expr, $inner:expr)) => {
        $crate::pass!(Batch, [$($g)*] $W, $P, |$w, $p| ($to, $inner);
            whole at_once() -> u32 = 1;
            of play_out_many(
                how: &$crate::playout::Rollout, count: u32, rng: &mut $crate::Rng, returns: &mut [f64]
            ) -> Option<u64> = None;
            {
                fn play_out_after(
                    &self,
                    starts: &[(&$P, $crate::Action)],
                    how: &$crate::playout::Rollout,
                    rng: &mut $crate::Rng,
                    returns: &mut [f64],
                ) -> Option<u64> {
                    let $w = self;
                    let to = $to?;
                    let starts: Vec<_> = starts.iter().map(|($p, action)| ($inner, *action)).collect();
                    to.play_out_after(&starts, how, rng, returns)
                }
            }
        );
    };
}

/// An ability whose methods ask another game's.
#[doc(hidden)]
#[macro_export]
macro_rules! pass {
    (
        $Ability:ident, [$($g:tt)*] $W:ty, $P:ty, |$w:ident, $p:ident| ($to:expr, $inner:expr);
        $( $of:ident $method:ident($($arg:ident: $Arg:ty),*) $(-> $Out:ty)? = $none:expr; )*
        $({ $($others:tt)* })?
    ) => {
        impl<$($g)*> $crate::abilities::$Ability<$P> for $W {
            $( $crate::pass!(@$of $method($($arg: $Arg),*) ($($Out)?) $none; $P, $w, $p, $to, $inner); )*
            $( $($others)* )?
        }
    };
    (@of $method:ident($($arg:ident: $Arg:ty),*) ($($Out:ty)?) $none:expr; $P:ty, $w:ident, $p:ident, $to:expr, $inner:expr) => {
        #[inline]
        fn $method(&self, $p: &$P, $($arg: $Arg),*) $(-> $Out)? {
            let $w = self;
            match $to {
                Some(to) => to.$method($inner, $($arg),*),
                None => $none,
            }
        }
    };
    (@whole $method:ident() ($($Out:ty)?) $none:expr; $P:ty, $w:ident, $p:ident, $to:expr, $inner:expr) => {
        fn $method(&self) $(-> $Out)? {
            let $w = self;
            match $to {
                Some(to) => to.$method(),
                None => $none,
            }
        }
    };
}
